import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_CHUNKING } from '../../../../src/server/workers/chunk/config.ts';
import { ExtractionError, WorkerOutOfMemory, WorkerTimeout } from '../../../../src/server/workers/errors.ts';
import { createWorkerPool, type WorkerPool } from '../../../../src/server/workers/pool.ts';
import type { PrepareInput } from '../../../../src/server/workers/prepare-content.ts';
import { type PreparedContent, preparedChunk } from '../../../../src/server/workers/prepared-content.ts';
import { built } from '../../../support/built.ts';

const entry = built('server/workers/thread.js');
const timeoutMs = 60_000;
const pools: WorkerPool[] = [];

function pool(size: number, maxOldSpaceMb?: number): WorkerPool {
  const created = createWorkerPool({ size, entry, ...(maxOldSpaceMb === undefined ? {} : { maxOldSpaceMb }) });
  pools.push(created);
  return created;
}

function content(text: string, over: Partial<PrepareInput> = {}): PrepareInput {
  const limits = { outputCharacters: 33_554_432 };
  return {
    contentType: 'text/plain',
    parts: [new TextEncoder().encode(text)],
    chunking: DEFAULT_CHUNKING,
    limits,
    ...over,
  };
}

/** A pattern that takes exponential time on a text that nearly matches it. */
function hostile(): PrepareInput {
  const recursive = { ...DEFAULT_CHUNKING.recursive, separators: ['(a+)+$'], separatorIsRegex: true };
  return content(`${'a'.repeat(600)}b`, { chunking: { recursive } });
}

function texts(prepared: PreparedContent): string[] {
  return Array.from(prepared.starts, (_, index) => preparedChunk(prepared, index).text);
}

afterEach(async () => {
  for (const created of pools.splice(0)) await created.close();
});

describe('worker pool', () => {
  it('runs tasks concurrently and answers each with its own result', async () => {
    const workers = pool(2);
    const words = Array.from({ length: 12 }, (_, index) => `text number ${index}`);
    const results = await Promise.all(words.map((word) => workers.run('prepareContent', content(word), { timeoutMs })));
    expect(results.map((result) => texts(result))).toEqual(words.map((word) => [word]));
  });

  it('moves the buffers named in transfer', async () => {
    const input = content('moved');
    const buffers = input.parts.map(({ buffer }) => buffer as ArrayBuffer);
    const result = await pool(1).run('prepareContent', input, { timeoutMs, transfer: buffers });
    expect(texts(result)).toEqual(['moved']);
    expect(buffers.map((buffer) => buffer.byteLength)).toEqual([0]);
  });

  it('restores the class of an error that a task throws, and keeps the thread', async () => {
    const workers = pool(1);
    const unsupported = workers.run('prepareContent', content('x', { contentType: 'application/x-thing' }), {
      timeoutMs,
    });
    await expect(unsupported).rejects.toBeInstanceOf(ExtractionError);
    await expect(unsupported).rejects.toThrow('Unsupported content type: application/x-thing');
    expect(texts(await workers.run('prepareContent', content('next'), { timeoutMs }))).toEqual(['next']);
  });

  it('ends a task at its deadline, replaces its thread and keeps the others', async () => {
    const workers = pool(2);
    const slow = workers.run('prepareContent', hostile(), { timeoutMs: 300 });
    const other = workers.run('prepareContent', content('other'), { timeoutMs });
    await expect(slow).rejects.toBeInstanceOf(WorkerTimeout);
    expect(texts(await other)).toEqual(['other']);
    const after = await Promise.all(
      ['a', 'b', 'c'].map((word) => workers.run('prepareContent', content(word), { timeoutMs })),
    );
    expect(after.map((result) => texts(result))).toEqual([['a'], ['b'], ['c']]);
  });

  it('survives a task that needs too much memory', async () => {
    const workers = pool(1, 48);
    // A number for each token and each place between them.
    const recursive = { ...DEFAULT_CHUNKING.recursive, lengthMeasurement: 'TOKEN_COUNT' as const };
    const greedy = workers.run('prepareContent', content('x '.repeat(3_000_000), { chunking: { recursive } }), {
      timeoutMs,
    });
    await expect(greedy).rejects.toBeInstanceOf(WorkerOutOfMemory);
    expect(texts(await workers.run('prepareContent', content('next'), { timeoutMs }))).toEqual(['next']);
  });

  it('drops a queued task and terminates a running one at an abort', async () => {
    const workers = pool(1);
    const running = new AbortController();
    const queued = new AbortController();
    const first = workers.run('prepareContent', hostile(), { timeoutMs, signal: running.signal });
    const second = workers.run('prepareContent', content('never'), { timeoutMs, signal: queued.signal });
    const third = workers.run('prepareContent', content('third'), { timeoutMs });
    queued.abort(new Error('not wanted'));
    await expect(second).rejects.toThrow('not wanted');
    running.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(texts(await third)).toEqual(['third']);
    const late = workers.run('prepareContent', content('x'), {
      timeoutMs,
      signal: AbortSignal.abort(new Error('before')),
    });
    await expect(late).rejects.toThrow('before');
  });

  it('alternates between owners', async () => {
    const workers = pool(1);
    const done: string[] = [];
    const run = async (owner: string, word: string) => {
      await workers.run('prepareContent', content(word), { timeoutMs, owner });
      done.push(word);
    };
    await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')]);
    expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('refuses an input that cannot be cloned and stays usable', async () => {
    const workers = pool(1);
    const broken = { ...content('x'), extra: () => 1 };
    await expect(workers.run('prepareContent', broken, { timeoutMs })).rejects.toThrow(/could not be cloned/);
    expect(texts(await workers.run('prepareContent', content('next'), { timeoutMs }))).toEqual(['next']);
  });

  it('reports a thread that cannot start', async () => {
    const workers = createWorkerPool({ size: 1, entry: new URL('./missing.js', entry) });
    pools.push(workers);
    const task = workers.run('prepareContent', content('x'), { timeoutMs });
    await expect(task).rejects.toMatchObject({ code: 'INTERNAL', message: 'Worker thread failed' });
  });

  it('rejects pending and later tasks on close', async () => {
    const workers = pool(1);
    const running = workers.run('prepareContent', hostile(), { timeoutMs });
    const queued = workers.run('prepareContent', content('x'), { timeoutMs });
    const settled = Promise.allSettled([running, queued]);
    await workers.close();
    await workers.close();
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    await expect(workers.run('prepareContent', content('x'), { timeoutMs })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('carries text, offsets and chunks of characters outside the basic plane', async () => {
    const text = 'one 😀😀 two\n\nthree 🇩🇪 four';
    const recursive = { ...DEFAULT_CHUNKING.recursive, chunkSize: 14, chunkOverlap: 0 };
    const prepared = await pool(1).run('prepareContent', content(text, { chunking: { recursive } }), { timeoutMs });
    expect(new TextDecoder().decode(prepared.text)).toBe(text);
    const points = [...text];
    for (const index of prepared.starts.keys()) {
      const chunk = preparedChunk(prepared, index);
      expect(points.slice(chunk.start, chunk.end).join('')).toBe(chunk.text);
    }
    expect(texts(prepared).join('')).toBe(text);
    expect(() => preparedChunk(prepared, prepared.starts.length)).toThrow(RangeError);
  });
});
