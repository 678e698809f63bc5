import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PostProcessorModule } from '../../../../../src/server/workers/post-processor/module.ts';
import type { Tools } from '../../../../../src/server/workers/post-processor/types.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import { built } from '../../../../support/built.ts';

/** What post processors do that have one thing in common: nobody else must notice. */
const MODULE = `
const never = new Promise(() => {});
const process_ = process;
const loop = () => { for (;;); };
const does = {
  async *gives({ items }) { yield* items; },
  async *tells(input) { yield { ...input, signal: input.signal.aborted }; },
  async *waits(input) { yield 1; await never; },
  async *uses(input, tools) {
    yield await tools.rerank('r', 'q', ['a', 'b']);
    yield await tools.complete('l', 's', 'u').catch(({ code, message }) => ({ code, message }));
    yield await tools.complete('l', () => {}, 'u').catch(({ message }) => message);
  },
  async *ends({ signal }) { seen.push(signal); try { yield 1; } finally { seen.push('left'); } },
  async *reports() { yield seen.map((one) => one.aborted === undefined ? one : one.reason.message); },
  async *function() { yield 1; yield () => {}; },
  async *throws() { yield 1; throw new Error('no'); },
  async *throwsOdd() { throw { toString() { throw 1; } }; },
  plain() { throw new Error('at once'); },
  nothing() {},
  async *timer() { yield 1; setTimeout(() => { throw new Error('out of the blue'); }); await never; },
  async *drops() { yield 1; Promise.reject(new Error('dropped')); await never; },
  async *loops() { loop(); },
  async *loopsBetween() { yield 1; loop(); },
  async *microtasks() { yield 1; for (;;) await undefined; },
  async *exits() { yield 1; process_.exit(9); },
  async *kills() { yield 1; process_.kill(process_.pid, 'SIGKILL'); },
  async *map() { yield 1; for (const map = new Map(); ; ) map.set(map.size, map.size); },
  async *array() { yield 1; for (const all = []; ; ) all.push({ all: [all.length] }); },
  async *yieldsMuch() { yield 1; yield much; },
  async *asksMuch(input, tools) { yield await tools.rerank('r', much, []).catch(({ message }) => message); },
  async *throwsMuch() { throw new Error(much); },
  async *failsLater() { setTimeout(() => { for (let at = 0; at < 100; at++) Promise.reject(new Error('late')); }); },
  async *hangsUp() { yield 1; process_.disconnect(); },
};
const seen = [];
const much = 'x'.repeat(17_000_000);
const creates = {
  loopsInCreate: loop,
  exitsInCreate: () => process_.exit(8),
  refuses: () => { throw new Error('a must be larger'); },
  refusesOddly: () => { throw 'a must be larger'; },
  givesNothing: () => undefined,
};
export const factories = [
  ...Object.entries(does).map(([name, process]) => ({
    name,
    create: (config, tools) => ({ candidates: config.candidates, process: (input) => process(input, tools) }),
  })),
  ...Object.entries(creates).map(([name, create]) => ({ name, create })),
];`;

let directory: string;
let patient: PostProcessorModule;
/** Ends a process that is silent for so short a time that tests can wait for it. */
let hasty: PostProcessorModule;
let reported: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-process-'));
  await writeFile(join(directory, 'module.mjs'), MODULE);
  const report = {
    line: () => {},
    fault: (error: Error) => reported.push(error.message),
    ended: (error: Error) => reported.push(error.message),
  };
  const entry = built('server/workers/post-processor/entry.js');
  const url = pathToFileURL(join(directory, 'module.mjs')).href;
  const limits = { maxOldSpaceMb: 48 };
  patient = await PostProcessorModule.start({ url, entry, report, limits });
  hasty = await PostProcessorModule.start({ url, entry, report, limits: { ...limits, silenceMs: 500 } });
});
afterEach(() => {
  reported = [];
});
afterAll(async () => {
  await Promise.all([patient.close(), hasty.close()]);
  await rm(directory, { recursive: true });
});

const noTools: Tools = {
  rerank: () => Promise.reject(new Error('no rerankers here')),
  complete: () => Promise.reject(new Error('no models here')),
};
const INPUT = { message: 'm', context: [], items: [] };

interface More {
  config?: unknown;
  tools?: Tools;
  input?: object;
  /** Ends the call. */
  ending?: AbortController;
  /** Called with each output. */
  onOutput?: () => void;
}

/** The outputs of one call, and the error that it ended with. */
async function run(module: PostProcessorModule, factory: string, more: More = {}): Promise<unknown[]> {
  const { config = {}, tools = noTools, input = {}, ending = new AbortController(), onOutput } = more;
  const outputs: unknown[] = [];
  try {
    const created = await module.create(factory, { config, tools, signal: ending.signal });
    if (created.kind !== 'created') return [created.kind === 'refused' ? created.problem : created.kind];
    for await (const output of created.process({ ...INPUT, ...input })) {
      outputs.push(output);
      onOutput?.();
    }
  } catch (error) {
    const { message, constructor: kind } = error as Error;
    outputs.push(`${kind.name}: ${message}`);
  } finally {
    ending.abort(new Error('it is over'));
  }
  return outputs;
}

const SILENT = 'ModuleUnresponsive: The module has stopped responding; it may be in an endless loop';
const ended = (how: string) => `ModuleExited: The process of the module ended ${how}`;

describe('messages between the server and the module', () => {
  test('the input, outputs in their order, and candidates', async () => {
    const input = { message: 'boiler', context: [{ text: 'hello' }], items: [{ a: 1 }, { b: [null, 'ü'] }] };
    expect(await run(patient, 'tells', { input })).toEqual([{ ...input, signal: false }]);
    expect(await run(patient, 'gives', { input })).toEqual(input.items);
    const options = { config: { candidates: 7 }, tools: noTools, signal: AbortSignal.timeout(10_000) };
    expect(await patient.create('gives', options)).toMatchObject({ kind: 'created', candidates: 7 });
  });

  test('tools with their answers, and errors with their codes', async () => {
    const used: unknown[] = [];
    const tools: Tools = {
      rerank: async (...args) => {
        used.push(args);
        return [0.5, 2];
      },
      complete: () => Promise.reject(new ServiceError('PERMISSION_DENIED', 'not yours')),
    };
    const outputs = await run(patient, 'uses', { tools });
    expect(outputs).toEqual([
      [0.5, 2],
      { code: 'PERMISSION_DENIED', message: 'not yours' },
      '() => {} could not be cloned.',
    ]);
    expect(used).toEqual([['r', 'q', ['a', 'b']]]);
  });

  test('the end of a call: the signal aborts, the generator returns, and no promise stays pending', async () => {
    const ending = new AbortController();
    const onOutput = () => ending.abort(new Error('the client aborted'));
    expect(await run(patient, 'ends', { ending, onOutput })).toEqual([1, 'Error: the client aborted']);
    expect(await run(patient, 'reports')).toEqual([['the client aborted', 'left']]);
    const waiting = new AbortController();
    const left = run(patient, 'waits', { ending: waiting, onOutput: () => waiting.abort(new Error('enough')) });
    expect(await left).toEqual([1, 'Error: enough']);
  });

  test.each([
    ['refuses', ['a must be larger']],
    ['refusesOddly', ['the post processor refuses it']],
    ['givesNothing', ['broken']],
    ['unknown', ['ServiceError: The module no longer exports this factory']],
    ['throws', [1, 'ServiceError: no']],
    ['throwsOdd', ['ServiceError: The module threw a value that cannot be serialized']],
    ['plain', ['ServiceError: at once']],
    ['nothing', ["ServiceError: Cannot read properties of undefined (reading 'Symbol(Symbol.asyncIterator)')"]],
    ['function', [1, 'Unsendable: () => {} could not be cloned.']],
  ])('%s: %j', async (factory, outputs) => {
    expect(await run(patient, factory)).toEqual(outputs);
    expect(reported).toEqual([]);
  });
});

describe('limits', () => {
  const tooMuch = expect.stringMatching(/It has 170000\d\d bytes; at most 16777216 can be sent$/);

  test('outputs, arguments of tools, and words of errors', async () => {
    expect(await run(patient, 'yieldsMuch')).toEqual([1, tooMuch]);
    expect(await run(patient, 'asksMuch')).toEqual([tooMuch]);
    expect(await run(patient, 'throwsMuch')).toEqual([`ServiceError: ${'x'.repeat(16_384)}`]);
    expect(reported).toEqual([]);
  });

  test('repeated errors: ten a second are logged, with the count of the others', async () => {
    expect(await run(patient, 'failsLater')).toEqual([]);
    const all = [...Array.from({ length: 10 }, () => 'late'), '90 more errors within one second are not shown'];
    await vi.waitFor(() => expect(reported).toEqual(all), 10_000);
  });
});

describe('a fault ends its own call alone', () => {
  test.each([
    ['timer', [1, 'ServiceError: out of the blue']],
    ['drops', [1, 'ServiceError: dropped']],
  ])('%s: %j', async (factory, outputs) => {
    const ending = new AbortController();
    let other: Promise<unknown[]> | undefined;
    await new Promise<void>((resolve) => {
      other = run(patient, 'waits', { ending, onOutput: resolve });
    });
    expect(await run(patient, factory)).toEqual(outputs);
    ending.abort(new Error('still there'));
    expect(await other).toEqual([1, 'Error: still there']);
    expect(reported).toEqual([]);
  });
});

describe('a module process that exits is replaced', () => {
  test.each([
    ['exits', [1, ended('with code 9')]],
    ['exitsInCreate', [ended('with code 8')]],
    ['kills', [1, ended('by SIGKILL')]],
    ['map', [1, ended('by SIGABRT')]],
    ['array', [1, ended('by SIGABRT')]],
    ['hangsUp', [1, ended('with code 0')]],
  ])('%s: %j', async (factory, outputs) => {
    expect(await run(patient, factory)).toEqual(outputs);
    expect(reported).toEqual([String(outputs.at(-1)).replace('ModuleExited: ', '')]);
    expect(await run(patient, 'gives', { input: { items: [{ a: 1 }] } })).toEqual([{ a: 1 }]);
  });

  test.each([
    ['loops', [SILENT]],
    ['loopsBetween', [1, SILENT]],
    ['loopsInCreate', [SILENT]],
    ['microtasks', [1, SILENT]],
  ])('%s: %j', async (factory, outputs) => {
    const looping = run(hasty, factory);
    // Whoever comes behind it waits, and is served.
    const next = run(hasty, 'gives', { input: { items: [{ a: 1 }] } });
    expect(await looping).toEqual(outputs);
    expect((await next).at(-1)).toEqual(factory === 'loopsInCreate' ? { a: 1 } : expect.anything());
    expect(await run(hasty, 'gives', { input: { items: [{ b: 1 }] } })).toEqual([{ b: 1 }]);
  });

  test('a loop after the end of its call is detected too', async () => {
    const ending = new AbortController();
    const onOutput = () => setImmediate(() => ending.abort(new Error('time is up')));
    expect(await run(hasty, 'loopsBetween', { ending, onOutput })).toEqual([1, 'Error: time is up']);
    expect(await run(hasty, 'gives', { input: { items: [{ b: 1 }] } })).toEqual([{ b: 1 }]);
    expect(reported).toEqual(['The module has stopped responding; it may be in an endless loop']);
  });

  test('no process starts after close', async () => {
    const url = pathToFileURL(join(directory, 'module.mjs')).href;
    const report = { line: () => {}, fault: () => {}, ended: () => reported.push('ended') };
    const module = await PostProcessorModule.start({
      url,
      report,
      entry: built('server/workers/post-processor/entry.js'),
    });
    const waiting = run(module, 'waits', { onOutput: () => void module.close() });
    expect(await waiting).toEqual([1, ended('with code 0')]);
    expect(await run(module, 'gives')).toEqual(['Error: The server is stopping']);
    expect(reported).toEqual([]);
  });
});
