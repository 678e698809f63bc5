import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoreOf, totalsOf } from '../../../../src/cli/eval/report.ts';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { failure } from '../../../support/client/grpc-failure.fixture.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { type CliOptions, cli } from '../../../support/client/host.fixture.ts';
import { useService } from '../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const id = (number: number): string => `01980000-0000-7000-8000-00000000000${number}`;

describe('scores', () => {
  test('recall is the share of relevant results among the first k, the rank that of the first of them', () => {
    expect(scoreOf(['a', 'b', 'c', 'd'], ['b', 'd', 'x'], 10)).toEqual({ hits: 2, recall: 2 / 3, firstRank: 2 });
    expect(scoreOf(['a', 'b', 'c', 'd'], ['b', 'd', 'x'], 3)).toEqual({ hits: 1, recall: 1 / 3, firstRank: 2 });
    expect(scoreOf(['a', 'b'], ['b'], 1)).toEqual({ hits: 0, recall: 0, firstRank: undefined });
    expect(scoreOf([], ['b'], 5)).toEqual({ hits: 0, recall: 0, firstRank: undefined });
  });

  test('totals are means over the questions', () => {
    // Recall (1 + 1/2 + 0 + 1/4) / 4 = 0.4375; MRR (1 + 1/2 + 0 + 1/5) / 4 = 0.425.
    const scores = [
      { hits: 1, recall: 1, firstRank: 1 },
      { hits: 1, recall: 0.5, firstRank: 2 },
      { hits: 0, recall: 0, firstRank: undefined },
      { hits: 1, recall: 0.25, firstRank: 5 },
    ];
    expect(totalsOf(scores).recall).toBeCloseTo(0.4375, 12);
    expect(totalsOf(scores).mrr).toBeCloseTo(0.425, 12);
    expect(totalsOf([])).toEqual({ recall: 0, mrr: 0 });
  });
});

const start = useService([MemoryService]);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-eval-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface Asked {
  message: string;
  requestedSize: number;
  maxPerMemory: number;
}

/** Finds, for the question "boiler", memory 2 before memory 1, and for everything else memory 9. */
const answering: NonNullable<Handlers['stream']>[string] = (call, send) => {
  const { message } = call.request as unknown as Asked;
  const found = message === 'boiler' ? [id(2), id(1)] : [id(9)];
  send({ event: { case: 'resultSetBoundary', value: { kind: Kind.BEGIN } } });
  for (const memoryId of found) {
    send({ event: { case: 'retrievedItem', value: { item: { case: 'chunk', value: { memoryId } } } } });
  }
  send({ event: { case: 'resultSetBoundary', value: { kind: Kind.END } } });
  call.end();
};

async function against(RetrieveMemory: NonNullable<Handlers['stream']>[string] = answering) {
  const { server, svc } = await start({ stream: { RetrieveMemory } });
  const evaluate = async (lines: readonly string[], flags: readonly string[] = [], options: CliOptions = {}) => {
    await writeFile(join(folder, 'questions.ndjson'), lines.join('\n'));
    return svc(['eval', SPACE, 'questions.ndjson', ...flags], { cwd: folder, ...options });
  };
  return { server, svc: evaluate };
}

const QUESTIONS = [
  JSON.stringify({ question: 'boiler', memoryIds: [id(1), id(3).toUpperCase(), id(3)], note: 'passed over' }),
  '',
  JSON.stringify({ question: 'roof', memoryIds: [id(4)] }),
];

describe('svc eval', () => {
  test('on a terminal: a row a question, the totals, and progress that is erased at the end', async () => {
    const { svc, server } = await against();
    const { code, stdout, stderr } = await svc(QUESTIONS, ['--no-color'], { terminal: true, columns: 60 });
    expect(code).toBe(0);
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      LINE  QUESTION    HITS  FIRST RANK
      ──────────────────────────────────
         1  boiler    1 of 2           2
         3  roof      0 of 1           -

      recall@10 0.250  MRR 0.250  questions 2
      "
    `);
    expect(stderr).toContain('2 of 2 questions  recall@10 0.250  MRR 0.250');
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
    expect(server.calls[0]?.request).toMatchObject({ requestedSize: 10, maxPerMemory: 1, fetchMemory: false });
  });

  test('as data: the rows in the order of the file, and the totals', async () => {
    const { svc } = await against();
    const ndjson = await svc(QUESTIONS, ['-o', 'ndjson', '-k', '1']);
    expect(ndjson.stderr).toBe('');
    const rows = ndjson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual([
      { line: 1, question: 'boiler', expected: 2, hits: 0, recall: 0, firstRank: null },
      { line: 3, question: 'roof', expected: 1, hits: 0, recall: 0, firstRank: null },
      { totals: { questions: 2, of: 2, k: 1, recall: 0, mrr: 0 } },
    ]);
    const json = JSON.parse((await svc(QUESTIONS, ['-o', 'json'])).stdout);
    expect(json.questions[0]).toMatchObject({ hits: 1, recall: 0.5, firstRank: 2 });
    expect(json.totals).toEqual({ questions: 2, of: 2, k: 10, recall: 0.25, mrr: 0.25 });
  });

  test.each([
    ['{"question":', 'is not JSON'],
    ['null', 'is not an object'],
    ['{"memoryIds":[]}', 'has no question'],
    ['{"question":"x","memoryIds":[]}', 'names no memoryIds'],
    ['{"question":"x","memoryIds":["1"]}', 'has a memory id that is no UUID: "1"'],
  ])('a malformed line makes no call: %s', async (line, problem) => {
    const { svc, server } = await against();
    const result = await svc([...QUESTIONS, line]);
    expect(result).toMatchObject({ code: 65, stdout: '' });
    expect(result.stderr).toContain(`svc: Line 4 of questions.ndjson ${problem}\n`);
    expect(server.calls).toEqual([]);
  });

  test('no questions, no file, a bad k', async () => {
    const { svc } = await against();
    expect(await svc(['', ''])).toMatchObject({ code: 65, stderr: expect.stringContaining('There are no questions') });
    expect((await cli(['eval', SPACE, 'nowhere.ndjson'], { cwd: folder })).code).toBe(66);
    expect(await svc(QUESTIONS, ['-k', '0'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('svc: -k must be an integer from 1 to 1000, got "0"'),
    });
  });

  test('a rate limit is waited for as long as the server says', async () => {
    let calls = 0;
    const { svc } = await against((call, send) => {
      calls += 1;
      if (calls > 1) return answering(call, send);
      call.emit('error', failure(8, 'slow down', { 'x-error-code': 'RESOURCE_EXHAUSTED', 'retry-after': '0' }));
    });
    const { code, stdout } = await svc(QUESTIONS, ['-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).totals).toMatchObject({ questions: 2 });
    expect(calls).toBe(3);
  });

  test('a partial result is no measurement', async () => {
    const { svc } = await against((call, send) => {
      send({ event: { case: 'status', value: { code: 'PARTIAL_RESULTS', message: 'Some embedders failed' } } });
      answering(call, send);
    });
    const result = await svc(QUESTIONS);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('Some embedders failed (PARTIAL_RESULTS)\n  See what is wrong: svc system doctor');
  });

  test('Ctrl-C ends it with the results so far', async () => {
    const stop = new AbortController();
    const { svc } = await against((call, send) => {
      if ((call.request as unknown as Asked).message === 'boiler') answering(call, send);
      else call.on('cancelled', () => {});
    });
    const onOutput = (text: string): void => {
      if (text.includes('boiler')) stop.abort(new Interrupted('SIGINT'));
    };
    const { code, stdout } = await svc(QUESTIONS, ['-o', 'ndjson'], { signal: stop.signal, onOutput });
    expect(code).toBe(130);
    expect(JSON.parse(stdout.trimEnd().split('\n')[1] ?? '')).toMatchObject({ totals: { questions: 1, of: 2 } });
  });
});
