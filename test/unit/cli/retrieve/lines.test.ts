import type { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wrapText } from '../../../../src/cli/kit/text/printable.ts';
import { scoreShare, scoreText } from '../../../../src/cli/retrieve/card.ts';
import { retrieve } from '../../../../src/cli/retrieve/command.ts';
import { passageLines } from '../../../../src/cli/retrieve/passage.ts';
import { MemoryService, type RetrieveMemoryEventSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../support/client/grpc-server.fixture.ts';
import { type CliResult, cli } from '../../../support/client/host.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const ID = '01980000-0000-7000-8000-0000000000f1';

type Event = NonNullable<Parameters<typeof create<typeof RetrieveMemoryEventSchema>>[1]>['event'];

const begin: Event = { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, stageName: 'rerank', expectedItems: 10 } };
const end: Event = { case: 'resultSetBoundary', value: { kind: Kind.END } };
const status = (code: string, details: Record<string, string> = {}): Event => ({
  case: 'status',
  value: { code, message: `About ${code}`, details },
});
const item = (chunkText: string): Event => ({
  case: 'retrievedItem',
  value: { item: { case: 'chunk', value: { memoryId: ID, chunkText } }, relevanceScore: 0.5 },
});

describe('text output', () => {
  let server: TestGrpcServer;
  let events: readonly Event[] = [];
  let failure: Error | undefined;
  beforeAll(async () => {
    server = await startGrpcServer([MemoryService], {
      stream: {
        RetrieveMemory: (call, send) => {
          for (const event of events) send({ event });
          if (failure === undefined) call.end();
          else call.emit('error', failure);
        },
      },
    });
  });
  afterAll(() => server.close());

  function run(sent: readonly Event[], flags: readonly string[] = [], broken?: Error): Promise<CliResult> {
    events = sent;
    failure = broken;
    const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', NO_COLOR: '1' };
    return cli(['retrieve', 'q', '--space', SPACE, ...flags], { env, terminal: true, columns: 60 });
  }

  test('results are numbered as the labels of the summary are, and hang below the widest of them', async () => {
    const reply: Event = { case: 'abstractReply', value: { text: 'Yes [1],\nand no [2].' } };
    expect(await run([begin, item('one'), item('two\u001b[31m'), end, reply])).toEqual({
      code: 0,
      stdout: [
        `[1]  0.500  ${ID}`,
        '     one',
        `[2]  0.500  ${ID}`,
        '     two [31m',
        '',
        'Summary',
        '    Yes [1],',
        '    and no [2].',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('a missing summary that was not requested is not mentioned; another missing feature is', async () => {
    const { stderr } = await run([
      status('FEATURE_DISABLED', { feature: 'summarization', required_param: 'llm_id' }),
      status('FEATURE_DISABLED', { feature: 'other' }),
      begin,
      item('one'),
      end,
    ]);
    expect(stderr).toBe('note: About FEATURE_DISABLED (FEATURE_DISABLED)\n');
  });

  test.each([
    [[], [], `Nothing found. See which memories are there and COMPLETED: svc memories list ${SPACE}`],
    [['--filter', 'x'], [], `Nothing found. Leave --filter out, or see what there is: svc memories list ${SPACE}`],
    [['--reranker', ID, '--threshold', '0.5'], [], 'Nothing found. Lower --threshold, or leave it out'],
    [[], [status('EMBEDDER_FAILED')], 'Nothing was searched. Try the embedder: svc ping ID'],
  ])('nothing found with %j', async (flags, before, expected) => {
    const { code, stdout, stderr } = await run([...before, begin, end], flags);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.trimEnd().replaceAll('\n', ' ')).toMatch(new RegExp(`${expected}$`));
  });

  test.each([
    [['--threshold', '0.5'], true],
    [['--threshold', '0.5', '--llm', ID], true],
    [['--threshold', '0.5', '--reranker', ID], false],
    [['--threshold', '0.5', '--post-processor-config', `{"reranker_id":"${ID}"}`], false],
    [['--threshold', '0.5', '--post-processor', 'x.Mine'], false],
    [[], false],
  ])('a threshold without reranking is mentioned in every form: %j', async (flags, isTold) => {
    for (const form of [[], ['-o', 'table'], ['-o', 'json'], ['-o', 'ndjson'], ['--plain']]) {
      const { stderr } = await run([begin, item('one'), end], [...flags, ...form]);
      expect(stderr.includes('note: --threshold is ignored'), form.join(' ')).toBe(isTold);
    }
  });

  test('a stream that breaks before the summary is partial', async () => {
    const broken = Object.assign(new Error('gone'), { code: 13, details: 'gone' });
    expect(await run([begin, item('one'), end], ['--llm', ID], broken)).toMatchObject({ code: 76 });
  });

  test('a server that disconnects mid-stream is not reported as unreachable', async () => {
    const gone = Object.assign(new Error('gone'), { code: 14, details: 'Connection dropped' });
    const { code, stderr } = await run([begin, item('one')], [], gone);
    expect(code).toBe(76);
    expect(stderr).toMatch(/The stream ended early\n {2}The connection to 127\.0\.0\.1:\d+ was lost\n/);
  });

  test('a list to browse needs a terminal', async () => {
    const { code, stderr } = await run([], ['-i', '--plain']);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 64,
      first: 'svc: --interactive needs a terminal that can be redrawn',
    });
  });
});

test('spaces, rerankers and LLMs are completed', () => {
  const completed = Object.values(retrieve.flags).flatMap(({ term, completes }) =>
    completes ? [[term, completes]] : [],
  );
  expect(completed).toEqual([
    ['--space <name|id>', 'spaces'],
    ['--reranker <name|id>', 'rerankers'],
    ['--llm <name|id>', 'llms'],
  ]);
});

test.each([
  [0.25, 'vector_search', 0.25],
  [-0.5, 'vector_search', 0],
  [3, 'rerank', 1],
  // First in both rankings.
  [1 / 61, 'hybrid_search', 1],
  [0.5 / 61, 'hybrid_search', 0.5],
])('a score of %d of %s fills the bar by %d', (score, stage, share) => {
  expect(scoreShare(score, stage)).toBeCloseTo(share);
});

test('a score just below zero is zero', () => {
  expect([scoreText(-0.0001), scoreText(-0.001)]).toEqual(['0.000', '-0.001']);
});

test('a wrapped line keeps its prefix; control characters are removed', () => {
  expect(wrapText('\tif (a) b c\u0007\r\n\n- one two', 10)).toEqual(['    if (a)', '    b c', '', '- one two']);
});

describe('the place of a chunk in its memory', () => {
  const lines = (before: string, found: string, after: string): string[] =>
    passageLines({ before, found, after, isPart: false }, 20).map(
      ({ text, isFound }) => `${isFound ? '>' : ' '}${text}`,
    );

  test('begins and ends a line, without the empty lines around it', () => {
    expect(lines('one\n\n', 'two\nthree\n\n', 'four\n')).toEqual([' one', ' ', '>two', '>three', ' ', ' four']);
    expect(lines('one ', 'two', ' three')).toEqual([' one', '>two', '  three']);
    expect(lines('', 'two', '')).toEqual(['>two']);
    expect(lines('one', '\n  two', '')).toEqual([' one', '>  two']);
  });
});
