import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../support/client/grpc-server.fixture.ts';
import { type CliResult, cli } from '../../../support/client/host.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const LLM = '01980000-0000-7000-8000-0000000000d1';
const OTHER = '01980000-0000-7000-8000-0000000000d2';

type Fields = Record<string, unknown>;

const begin = { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, stageName: 'vector_search', expectedItems: 3 } };
const end = { case: 'resultSetBoundary', value: { kind: Kind.END } };
const found = (rank: number): Fields[] => [
  {
    case: 'memoryDefinition',
    value: { memoryId: `${SPACE.slice(0, -1)}${rank}`, metadata: { path: `notes/${rank}.md` } },
  },
  {
    case: 'retrievedItem',
    value: {
      item: {
        case: 'chunk',
        value: {
          memoryId: `${SPACE.slice(0, -1)}${rank}`,
          chunkText: `Text ${rank}`,
          metadata: { source_line_start: rank },
        },
      },
      relevanceScore: 0.5,
    },
  },
];
const delta = (text: string) => ({ case: 'abstractDelta', value: { text } });
const reply = (text: string) => ({ case: 'abstractReply', value: { text } });
const RESULTS = [begin, ...[1, 2, 3].flatMap(found), end];
const BROKEN = { case: 'status', value: { code: 'SUMMARIZATION_FAILED', message: 'The LLM is away' } };

let server: TestGrpcServer;
let events: readonly Fields[] = [];
let llms: Fields[] = [];
beforeAll(async () => {
  server = await startGrpcServer([MemoryService, LLMService], {
    unary: { ListLLMs: () => ({ llms }) },
    stream: {
      RetrieveMemory: (call, send) => {
        for (const event of events) send({ event });
        call.end();
      },
    },
  });
});
beforeEach(() => {
  llms = [{ llmId: LLM, displayName: 'Small', labels: {} }];
  server.calls.length = 0;
});
afterAll(() => server.close());

function ask(sent: readonly Fields[], flags: readonly string[] = [], terminal = true): Promise<CliResult> {
  events = sent;
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', NO_COLOR: '1' };
  return cli(['ask', 'who?', '--space', SPACE, ...flags], { env, terminal, columns: 60 });
}
const sent = () => server.calls.find(({ name }) => name === 'RetrieveMemory')?.request as Fields;

describe('an answer', () => {
  test('comes first, and below it the sources that it names', async () => {
    const pieces = ['Anna did it [1', '], and Ben paid [3].\n', '\nThat is all.'];
    expect(await ask([...RESULTS, ...pieces.map(delta), reply(pieces.join(''))])).toEqual({
      code: 0,
      stdout: [
        'Anna did it [1], and Ben paid [3].',
        '',
        'That is all.',
        '',
        '[1] notes/1.md:1',
        '[3] notes/3.md:3',
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(sent()).toMatchObject({ message: 'who?', streamSummary: true });
    expect(sent().postProcessor).toMatchObject({ config: { llm_id: LLM } });
  });

  test.each([
    ['names none', 'Nobody knows.', [1, 2, 3]],
    ['names several at once', 'Anna [2, 3].', [2, 3]],
    ['names an unknown source', 'Anna [7].', [1, 2, 3]],
  ])('that %s has the right sources', async (_, text, ranks) => {
    const { stdout } = await ask([...RESULTS, reply(text)]);
    expect(stdout).toBe(`${text}\n\n${ranks.map((rank) => `[${rank}] notes/${rank}.md:${rank}\n`).join('')}`);
  });

  test('shows the chunks of its sources with --full', async () => {
    const { stdout } = await ask([...RESULTS, reply('Anna [2].')], ['--full']);
    expect(stdout).toBe('Anna [2].\n\n[2] 0.500  notes/2.md:2\n    Text 2\n');
  });

  test('that fails keeps the results, and exits with a failure', async () => {
    const { code, stdout, stderr } = await ask([...RESULTS, delta('Anna'), BROKEN]);
    expect(code).toBe(1);
    expect(stdout).toContain('[1] 0.500  notes/1.md:1\n    Text 1\n');
    expect(stderr).toContain('note: The LLM is away (SUMMARIZATION_FAILED)');
  });

  test('without results says that nothing was found', async () => {
    const { code, stderr } = await ask([begin, end]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing found.')]);
  });

  test('is every event in a pipe', async () => {
    const { code, stdout } = await ask([...RESULTS, delta('An'), delta('na'), reply('Anna')], [], false);
    const members = stdout
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line))[0]);
    expect(code).toBe(0);
    expect(members.slice(-3)).toEqual(['abstractDelta', 'abstractDelta', 'abstractReply']);
    expect(members).toHaveLength(RESULTS.length + 3);
  });
});

describe('the LLM that answers', () => {
  test('is the one with the label where there are several', async () => {
    llms = [
      { llmId: OTHER, displayName: 'Large', labels: {} },
      { llmId: LLM, displayName: 'Small', labels: { default: 'true' } },
    ];
    await ask([...RESULTS, reply('Anna')]);
    expect(sent().postProcessor).toMatchObject({ config: { llm_id: LLM } });
    server.calls.length = 0;
    await ask([...RESULTS, reply('Anna')], ['--llm', 'large']);
    expect(sent().postProcessor).toMatchObject({ config: { llm_id: OTHER } });
  });

  test('has to be named where several could be meant', async () => {
    llms = ['Large', 'Small'].map((displayName, at) => ({ llmId: [LLM, OTHER][at], displayName, labels: {} }));
    const { code, stderr } = await ask(RESULTS);
    expect(code).toBe(64);
    expect(stderr).toMatch(/--llm[\s\S]*Large, Small[\s\S]*default=true/);
  });

  test('has to exist', async () => {
    llms = [];
    const { code, stderr } = await ask(RESULTS);
    expect([code, stderr]).toEqual([66, expect.stringContaining('svc llms create')]);
  });
});
