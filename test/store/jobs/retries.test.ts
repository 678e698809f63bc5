import { describe, expect, test } from 'vitest';
import type { EmbedderClient } from '../../../src/server/providers/embedders/types.ts';
import { ProviderError } from '../../../src/server/providers/errors.ts';
import type { IngestDeps } from '../../../src/server/service/ingest/deps.ts';
import { BackgroundJobStatus, type Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { sql } from '../identity.fixture.ts';
import { read, statusOf } from '../memory.fixture.ts';
import { stored, useJobServers } from './job-servers.fixture.ts';

const servers = useJobServers();
const { start, wake, hurry, remember, look } = servers;
const job = (memory: Memory) => memory.processingHistory?.latestJob;

/** A text of so many words, and the chunking that makes a chunk of each. */
const LONG = Array.from({ length: 600 }, (_, index) => `word${String(index).padStart(4, '0')}`).join(' ');
const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };

/** The servers.world's embedders, whose first call that reaches this many texts in all fails. */
function failingAt(total: number, error: Error): IngestDeps['targets'] {
  let seen = 0;
  const failing = (inner: EmbedderClient): EmbedderClient => ({
    resolvedEndpoint: inner.resolvedEndpoint,
    probe: (payload, options) => inner.probe(payload, options),
    async embed(texts, options) {
      seen += texts.length;
      if (seen === total) throw error;
      return inner.embed(texts, options);
    },
  });
  return {
    async embedders(ids, signal) {
      const open = await servers.world.deps.targets.embedders(ids, signal);
      return open.map((embedder) => ({ ...embedder, client: () => failing(embedder.client()) }));
    },
  };
}

describe('retries', () => {
  test('a transient failure is retried after a second, and nothing is stored twice', async () => {
    servers.provider.next({ kind: 'too_few' });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['retried']);
    const waiting = await look(memoryId);
    expect(statusOf(waiting)).toBe('PENDING');
    expect(job(waiting)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_PENDING, attempts: 1 });
    expect(job(waiting)?.lastError).toBe(waiting.processingHistory?.attempts[0]?.errorMessage);
    const [wait] = await sql<{ ms: number }>(
      servers.world.db,
      'select extract(epoch from run_at - updated_at)::float8 * 1000 as ms from job where memory_id = $1',
      [memoryId],
    );
    expect(wait?.ms).toBeGreaterThanOrEqual(800);
    expect(wait?.ms).toBeLessThanOrEqual(1201);
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
    const done = await look(memoryId);
    expect(statusOf(done)).toBe('COMPLETED');
    expect(done.processingHistory?.attempts.map(({ ok }) => ok)).toEqual([true, false]);
    expect(job(done)).toMatchObject({ attempts: 2 });
    expect(job(done)?.lastError).toBeUndefined();
    expect(await stored(servers, memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 1, counted: 1 });
  });

  test.each([
    ['are kept, and the next attempt continues after them', 'run_at = now()', true],
    ['are replaced by an attempt with other chunks', `run_at = now(), prepared_digest = 'other'`, false],
  ])('the chunks of a failed attempt %s', async (_, change, goesOn) => {
    const { memoryId } = await remember(LONG, { chunkingConfig });
    const { ended } = start({ targets: failingAt(600, new ProviderError('server_error', 'broken')) });
    expect(await ended(1)).toEqual(['retried']);
    const { chunks } = await stored(servers, memoryId);
    expect(chunks).toBeGreaterThan(0);
    const asked = () => servers.provider.requests.reduce((sum, { body }) => sum + (body.input as string[]).length, 0);
    const before = asked();
    await hurry(memoryId, change);
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
    expect(asked() - before).toBe(goesOn ? 600 - chunks : 600);
    expect(await stored(servers, memoryId)).toEqual({ chunks: 600, distinct: 600, vectors: 600, counted: 600 });
    expect((await read(await servers.world.source('getMemoryText', memoryId))).toString()).toBe(LONG);
  });

  test('the timeout for an unavailable provider restarts after partial progress', async () => {
    const { memoryId } = await remember(LONG, { chunkingConfig });
    await sql(
      servers.world.db,
      `update job set away_since = now() - interval '2 hours', away_attempts = 9 where memory_id = $1`,
      [memoryId],
    );
    const { ended } = start({ targets: failingAt(600, new ProviderError('rate_limited', 'busy')) });
    wake();
    expect(await ended(1)).toEqual(['retried']);
    const [row] = await sql<{ isNew: boolean; attempts: number }>(
      servers.world.db,
      `select away_since > now() - interval '1 hour' as "isNew", away_attempts as attempts from job where memory_id = $1`,
      [memoryId],
    );
    expect(row).toEqual({ isNew: true, attempts: 1 });
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
  });

  test('a FAILED memory keeps its text and none of its chunks', async () => {
    const { memoryId } = await remember(LONG, { chunkingConfig });
    const { ended } = start({ targets: failingAt(600, new ProviderError('rejected', 'no such input')) });
    expect(await ended(1)).toEqual(['failed']);
    expect(statusOf(await look(memoryId))).toBe('FAILED');
    expect(await stored(servers, memoryId)).toEqual({ chunks: 0, distinct: 0, vectors: 0, counted: 0 });
    expect((await read(await servers.world.source('getMemoryText', memoryId))).toString()).toBe(LONG);
  });

  test('after five attempts the memory is FAILED', async () => {
    servers.provider.always({ kind: 'too_few' });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await ended(attempt);
      await hurry(memoryId);
    }
    expect(await ended(5)).toEqual(['retried', 'retried', 'retried', 'retried', 'failed']);
    const failed = await look(memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    expect(job(failed)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_FAILED, attempts: 5 });
    expect(failed.processingHistory?.attempts).toHaveLength(5);
    // Extraction went well, whatever became of the vectors.
    expect((await read(await servers.world.source('getMemoryText', memoryId))).toString()).toBe('one text');
  });

  test('a permanent error is FAILED at once', async () => {
    servers.provider.always({ kind: 'status', status: 422, body: '{"error":{"message":"no such input"}}' });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });

  test('an unavailable provider uses up no attempt, until giveUpAfterMinutes is over', async () => {
    servers.provider.always({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    for (let attempt = 1; attempt < 7; attempt += 1) {
      await ended(attempt);
      const waiting = await look(memoryId);
      expect(job(waiting)).toMatchObject({ attempts: 0, lastError: expect.stringContaining('answered 503') });
      expect(waiting.processingHistory?.attempts[0]?.statusMessage).toMatch(/^The provider was unavailable/);
      expect(waiting.failureReason).toBeUndefined();
      await hurry(memoryId, attempt < 6 ? 'run_at = now()' : `run_at = now(), away_since = now() - interval '1 hour'`);
    }
    expect((await ended(7)).at(-1)).toBe('failed');
    const failed = await look(memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    expect(failed.failureReason).toMatch(
      /answered 503.*The provider was still unavailable after the 60 minutes that the space waits/,
    );
    expect(job(failed)?.lastError).toBe(failed.failureReason);
    servers.provider.always(undefined);
    expect((await servers.world.memory('reprocessMemory', { memoryId })).failureReason).toBeUndefined();
    wake();
    expect(statusOf(await servers.world.processed(memoryId))).toBe('COMPLETED');
  });

  test('a change of giveUpAfterMinutes applies from the next attempt', async () => {
    servers.provider.always({ kind: 'status', status: 429, headers: { 'retry-after': '120' } });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['retried']);
    await servers.world.call('updateSpace', { spaceId: servers.spaceId, giveUpAfterMinutes: 1 }, servers.world.ada);
    await hurry(memoryId);
    expect(await ended(2)).toEqual(['retried', 'failed']);
    expect((await look(memoryId)).failureReason).toContain(
      'The provider asks to wait for 2 minutes, longer than what is left of the 1 minute',
    );
  });

  test('a Retry-After of weeks ends the memory FAILED at once', async () => {
    servers.provider.always({ kind: 'status', status: 429, headers: { 'retry-after': String(14 * 86_400) } });
    const { ended } = start();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    const failed = await look(memoryId);
    expect(failed.failureReason).toMatch(
      /answered 429.*The provider asks to wait for 14 days, longer than what is left of the 60 minutes/,
    );
    expect(servers.provider.requests).toHaveLength(1);
  });
});
