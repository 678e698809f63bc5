import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../support/client/grpc-server.fixture.ts';
import { type CliOptions, type CliResult, cli } from '../../../support/client/host.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const MEMORY = '01980000-0000-7000-8000-0000000000f1';
const CHUNK = '01980000-0000-7000-8000-0000000000f2';
const LLM = '01980000-0000-7000-8000-0000000000d1';

type Fields = Record<string, unknown>;

const begin = { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, stageName: 'vector_search', expectedItems: 2 } };
const end = { case: 'resultSetBoundary', value: { kind: Kind.END } };
const definition = {
  case: 'memoryDefinition',
  value: {
    memoryId: MEMORY,
    spaceId: SPACE,
    contentType: 'text/markdown',
    metadata: { path: 'notes/a.md', filename: 'a.md', room: 'cellar' },
    createdAt: timestampFromMs(1_772_530_200_000),
  },
};
const item = (chunkText: string, chunk: Fields = {}) => ({
  case: 'retrievedItem',
  value: {
    item: { case: 'chunk', value: { memoryId: MEMORY, chunkId: CHUNK, chunkText, ...chunk } },
    relevanceScore: 0.25,
  },
});
const text = 'The cellar.\nThe boiler\u2028 was serviced.';
const RESULTS = [begin, definition, item(text, { metadata: { source_line_start: 7 } }), item('two'), end];
const status = (code: string, details: Fields = {}) => ({
  case: 'status',
  value: { code, message: `Of ${code}`, details },
});
const reply = (answer: string) => ({ case: 'abstractReply', value: { text: answer } });

let server: TestGrpcServer;
let events: readonly Fields[] = [];
let failure: Error | undefined;
beforeAll(async () => {
  server = await startGrpcServer([MemoryService, LLMService], {
    unary: { ListLLMs: () => ({ llms: [{ llmId: LLM, displayName: 'Small', labels: {} }] }) },
    stream: {
      RetrieveMemory: (call, send) => {
        for (const event of events) send({ event });
        if (failure === undefined) call.end();
        else call.emit('error', failure);
      },
    },
  });
});
beforeEach(() => {
  events = RESULTS;
  failure = undefined;
  server.calls.length = 0;
});
afterAll(() => server.close());

function run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', NO_COLOR: '1' };
  return cli([...args, '--space', SPACE], { env, ...options });
}
const retrieve = (...flags: string[]) => run(['retrieve', 'the boiler', ...flags]);
const ask = (...flags: string[]) => run(['ask', 'the boiler?', ...flags]);

describe('svc retrieve --json', () => {
  test('writes one array of the results, their members in the order asked for', async () => {
    expect(await retrieve('--json', 'path,score,text,memoryId')).toEqual({
      code: 0,
      stdout: `[${[
        `{"path":"notes/a.md","score":0.25,"text":"The cellar.\\nThe boiler\\u2028 was serviced.","memoryId":"${MEMORY}"}`,
        `{"path":"notes/a.md","score":0.25,"text":"two","memoryId":"${MEMORY}"}`,
      ].join(',')}]\n`,
      stderr: '',
    });
  });

  test('has every value that a card shows, and the whole records', async () => {
    const fields =
      'rank,line,filename,chunkId,spaceId,contentType,metadata,createdAt,stage,chunk,memory,path,score,text,memoryId';
    const [first, second] = JSON.parse((await retrieve('--json', fields)).stdout);
    expect(first).toMatchObject({
      rank: 1,
      // The sentence about the boiler stands in the second line of the chunk, which begins in line 7.
      line: 8,
      filename: 'a.md',
      chunkId: CHUNK,
      spaceId: SPACE,
      contentType: 'text/markdown',
      metadata: { room: 'cellar' },
      createdAt: 1_772_530_200_000,
      stage: 'vector_search',
      chunk: { chunkText: text },
      memory: { memoryId: MEMORY },
    });
    expect(second).toMatchObject({ rank: 2, line: null });
    const listed = await retrieve('--json');
    expect(listed.code).toBe(64);
    for (const field of fields.split(',')) expect(listed.stderr).toContain(field);
  });

  test('without the records of the memories their fields are null', async () => {
    events = [begin, item('one'), end];
    const { stdout } = await retrieve('--no-memory', '--json', 'memoryId,path,metadata,spaceId,createdAt,memory');
    expect(JSON.parse(stdout)).toEqual([
      { memoryId: MEMORY, path: null, metadata: null, spaceId: null, createdAt: null, memory: null },
    ]);
  });

  test('a whole memory, as a post processor may send it, has no text', async () => {
    const memory = { memoryId: MEMORY, contentType: 'image/png' };
    events = [begin, { case: 'retrievedItem', value: { item: { case: 'memory', value: memory } } }, end];
    const { stdout } = await retrieve('--json', 'memoryId,text,chunk,contentType');
    expect(JSON.parse(stdout)).toEqual([{ memoryId: MEMORY, text: null, chunk: null, contentType: 'image/png' }]);
  });

  test('a terminal gets it too, indented and without a screen', async () => {
    const { stdout } = await run(['retrieve', 'q', '--json=rank'], { terminal: true, columns: 80 });
    expect(stdout).toBe('[\n  {\n    "rank": 1\n  },\n  {\n    "rank": 2\n  }\n]\n');
  });

  test('--jq is given all of it', async () => {
    expect(await retrieve('--json', 'text,score', '--jq', '.[] | .text, .score')).toMatchObject({
      code: 0,
      stdout: 'The cellar.\nThe boiler\u2028 was serviced.\n0.25\ntwo\n0.25\n',
    });
  });

  test('no results are an empty array, and remarks go to stderr', async () => {
    events = [status('PARTIAL_RESULTS'), begin, end, status('EXPLAIN', { searchMs: '3', candidates: '0' })];
    const { code, stdout, stderr } = await retrieve('--explain', '--json', 'text');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
    expect(stderr).toMatch(/^note: Of PARTIAL_RESULTS \(PARTIAL_RESULTS\)\nSTEP +MS +READ\nsearch +3 +0 candidates\n$/);
  });

  test.each([
    ['is broken off', RESULTS.slice(0, 3), Object.assign(new Error('gone'), { code: 13, details: 'gone' })],
    ['ends before its end', RESULTS.slice(0, 3), undefined],
  ])('a stream that %s gives no results', async (_what, sent, broken) => {
    events = sent;
    failure = broken;
    const { code, stdout, stderr } = await retrieve('--json', 'text');
    expect({ code, stdout }).toEqual({ code: 76, stdout: '' });
    expect(stderr).toContain('The stream ended early');
  });

  test.each([
    [['--json', 'txt'], 'There is no field "txt"', 'Did you mean text? There are: rank, score, text, '],
    [['--json'], '--json needs fields, separated by commas', 'rank, score, text, '],
    [['--jq', '.'], '--jq needs --json', 'There are: rank, score, text, '],
    [['--json', 'text', '-i'], 'Give --json or --interactive, not both', ''],
    [['--json', 'text', '--llm', LLM], '--json writes only the results, not the summary', ''],
    [
      ['--json', 'text', '--post-processor-config', `{"llm_id":"${LLM}"}`],
      '--json writes only the results, not the summary',
      '',
    ],
  ])('%j is refused before anything is searched', async (flags, message, details) => {
    const { code, stdout, stderr } = await retrieve(...flags);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    if (flags.length === 1) expect(stderr).toContain(`svc: ${message}\n  ${details}`);
    else expect(JSON.parse(stderr).error).toMatchObject({ message, details: expect.stringContaining(details) });
    expect(server.calls.filter(({ name }) => name === 'RetrieveMemory')).toEqual([]);
  });

  test('an unrequested summary of a post processor is mentioned on stderr', async () => {
    events = [...RESULTS, reply('All about it.')];
    const { code, stdout, stderr } = await retrieve('--post-processor', 'x.Mine', '--json', 'rank');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[{"rank":1},{"rank":2}]\n' });
    expect(stderr).toBe('note: there is a summary too, which --json does not write; -o json does\n');
  });
});

describe('svc ask --json', () => {
  test('writes one object: the answer, the results that it names, and all of them', async () => {
    events = [...RESULTS, reply('Serviced [2].')];
    const { code, stdout, stderr } = await ask('--json', 'answer,sources,results');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answered = JSON.parse(stdout);
    expect(Object.keys(answered)).toEqual(['answer', 'sources', 'results']);
    expect(answered.answer).toBe('Serviced [2].');
    expect(answered.sources).toEqual([
      {
        ...{ rank: 2, score: 0.25, text: 'two', path: 'notes/a.md', filename: 'a.md', line: null, memoryId: MEMORY },
        ...{ chunkId: CHUNK, spaceId: SPACE, contentType: 'text/markdown', stage: 'vector_search' },
        ...{ metadata: { path: 'notes/a.md', filename: 'a.md', room: 'cellar' }, createdAt: 1_772_530_200_000 },
      },
    ]);
    expect(answered.results.map(({ rank }: { rank: number }) => rank)).toEqual([1, 2]);
    expect(server.calls.find(({ name }) => name === 'RetrieveMemory')?.request).toMatchObject({ streamSummary: false });
  });

  test('an answer that names nothing has all results for sources', async () => {
    events = [...RESULTS, reply('Serviced.')];
    expect((await ask('--json', 'answer,sources', '--jq', '.answer, .sources[].rank')).stdout).toBe(
      'Serviced.\n1\n2\n',
    );
  });

  test('no answer is null, without sources, with exit code 1 and the reason on stderr', async () => {
    events = [...RESULTS, status('SUMMARIZATION_FAILED')];
    expect(await ask('--json', 'sources,answer')).toEqual({
      code: 1,
      stdout: '{"sources":[],"answer":null}\n',
      stderr: 'note: Of SUMMARIZATION_FAILED (SUMMARIZATION_FAILED)\n',
    });
    events = [begin, end];
    expect(await ask('--json', 'answer,results')).toEqual({
      code: 0,
      stdout: '{"answer":null,"results":[]}\n',
      stderr: '',
    });
  });

  test('an unknown field is refused with the list of fields', async () => {
    const { code, stderr } = await ask('--json', 'text');
    expect(code).toBe(64);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'There is no field "text"',
      details: 'There are: answer, sources, results',
    });
  });
});
