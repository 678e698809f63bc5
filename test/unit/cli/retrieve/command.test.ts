import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { notFound } from '../../../../src/shared/errors.ts';
import { MemoryService, RetrieveMemoryEventSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import { failure, refusal } from '../../../support/client/grpc-failure.fixture.ts';
import { useService } from '../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const OTHER = '01980000-0000-7000-8000-0000000000b2';
const ME = '01980000-0000-7000-8000-000000000001';
const against = useService([MemoryService, SpaceService, UserService]);
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));

const house = { spaceId: SPACE, name: 'house', ownerId: ME, createdAt };

describe('retrieve', () => {
  const events = [
    { event: { case: 'status', value: { code: 'PARTIAL_RESULTS', message: 'Some embedders failed' } } },
    { event: { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, stageName: 'vector_search', expectedItems: 1 } } },
    {
      event: {
        case: 'memoryDefinition',
        value: { memoryId: OTHER, spaceId: SPACE, metadata: { filename: 'boiler.txt' }, createdAt },
      },
    },
    {
      event: {
        case: 'retrievedItem',
        value: {
          item: { case: 'chunk', value: { chunkText: 'The boiler was\nserviced on 3 March.', memoryId: OTHER } },
          memoryIndex: 0,
          relevanceScore: 0.8312,
        },
      },
    },
  ];
  const end = { event: { case: 'resultSetBoundary', value: { kind: Kind.END } } };
  const retrieving = (messages: readonly object[], finish?: Error) =>
    against({
      stream: {
        RetrieveMemory: (call, send) => {
          for (const message of messages) send(message as Record<string, unknown>);
          if (finish === undefined) call.end();
          else call.emit('error', finish);
        },
      },
    });

  test('in a pipe: the events as NDJSON', async () => {
    const { svc } = await retrieving([...events, end]);
    const { code, stdout, stderr } = await svc(['retrieve', 'boiler?', '--space', SPACE]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line))[0]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual(['status', 'resultSetBoundary', 'memoryDefinition', 'retrievedItem', 'resultSetBoundary']);
    expect(RetrieveMemoryEventSchema.typeName).toBe('service.v1.RetrieveMemoryEvent');
  });

  test('as JSON: one array', async () => {
    const { svc } = await retrieving([...events, end]);
    const { stdout } = await svc(['retrieve', 'boiler?', '--space', SPACE, '-o', 'json']);
    expect(JSON.parse(stdout)).toHaveLength(5);
  });

  test('on a terminal: rank, score, file, age, text', async () => {
    const { svc } = await retrieving([...events, end]);
    const result = await svc(['retrieve', 'boiler?', '--space', SPACE, '--no-color'], { terminal: true, columns: 60 });
    expect(result).toEqual({
      code: 0,
      stdout: '[1] 0.831  boiler.txt  2 days ago\n    The boiler was serviced on 3 March.\n',
      stderr: 'note: Some embedders failed (PARTIAL_RESULTS)\n',
    });
  });

  test('on a terminal: explain as a small table', async () => {
    const details = {
      embedMs: '1.20',
      searchMs: '13.45',
      loadMs: '2.00',
      rerankMs: '0.00',
      summarizeMs: '812.30',
      candidates: '50',
      [`space.${SPACE}`]: 'exact 120',
    };
    const { svc } = await retrieving([
      ...events,
      end,
      { event: { case: 'status', value: { code: 'EXPLAIN', details } } },
    ]);
    const result = await svc(['retrieve', 'boiler?', '--space', SPACE, '--explain', '--no-color'], { terminal: true });
    expect(result.stdout.slice(result.stdout.indexOf('STEP'))).toBe(
      [
        'STEP           MS  READ',
        'embed        1.20',
        'search      13.45  50 candidates',
        `                   exact 120 in space ${SPACE}`,
        'load         2.00',
        'summarize  812.30',
        '',
      ].join('\n'),
    );
  });

  test('a stream that ends before END is reported as partial', async () => {
    const { svc } = await retrieving(events);
    const short = await svc(['retrieve', 'boiler?', '--space', SPACE, '-o', 'ndjson']);
    expect(short.code).toBe(76);
    expect(short.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(JSON.parse(short.stderr).error.code).toBe('STREAM_ENDED_EARLY');
    const { svc: broken } = await retrieving(events, failure(14, 'gone'));
    const failed = await broken(['retrieve', 'boiler?', '--space', SPACE, '-o', 'json']);
    expect(failed.code).toBe(76);
    expect(JSON.parse(failed.stdout)).toHaveLength(4);
  });

  test('an error before the first event is an ordinary error', async () => {
    const { svc } = await retrieving([], refusal(notFound('Space', SPACE)));
    expect(await svc(['retrieve', 'boiler?', '--space', SPACE])).toMatchObject({ code: 66, stdout: '' });
  });

  test('Ctrl-C cancels the call and ends with 130', async () => {
    const stop = new AbortController();
    let isCanceled = false;
    const { svc } = await against({
      stream: {
        RetrieveMemory: (call, send) => {
          call.on('cancelled', () => {
            isCanceled = true;
          });
          for (const message of events) send(message as Record<string, unknown>);
        },
      },
    });
    const result = await svc(['retrieve', 'boiler?', '--space', SPACE], {
      signal: stop.signal,
      onOutput: (text) => text.includes('retrievedItem') && stop.abort(new Interrupted('SIGINT')),
    });
    expect(result.code).toBe(130);
    await expect.poll(() => isCanceled).toBe(true);
  });

  test('flags become fields; post-processing flags choose the chat post processor', async () => {
    const { svc, server } = await retrieving([end]);
    const request = async (...flags: string[]) => {
      const { code, stderr } = await svc(['retrieve', 'q', '--space', SPACE, ...flags]);
      expect(stderr).toBe('');
      expect(code).toBe(0);
      return server.calls.at(-1)?.request as Record<string, unknown>;
    };
    expect(await request('--max-results', '7')).toMatchObject({ requestedSize: 7, fetchMemory: true });
    expect((await request('--max-results', '7')).postProcessor).toBeUndefined();
    expect(
      await request(
        '--max-results',
        '7',
        '--candidates',
        '70',
        '--reranker',
        OTHER,
        '--threshold',
        '0.5',
        '--no-chronological',
      ),
    ).toMatchObject({
      requestedSize: 70,
      postProcessor: {
        config: { max_results: 7, reranker_id: OTHER, relevance_threshold: 0.5, chronological_resort: false },
      },
    });
    expect(
      await request(
        '--post-processor',
        'x.Mine',
        '--post-processor-config',
        '{"a":1}',
        '--context',
        'hello',
        '--no-memory',
      ),
    ).toMatchObject({
      fetchMemory: false,
      context: [{ item: { case: 'text', value: 'hello' } }],
      postProcessor: { name: 'x.Mine', config: { a: 1 } },
    });
    expect(
      await request(
        '--search',
        'vector',
        '--ef-search',
        '200',
        '--iterative-scan',
        'relaxed',
        '--embedder-weight',
        `${OTHER}=0.5`,
        '--filter',
        'x',
      ),
    ).toMatchObject({
      search: { mode: 1 },
      hnsw: { efSearch: 200, iterativeScan: 2 },
      spaceKeys: [{ spaceId: SPACE, filter: 'x', embedderWeights: [{ embedderId: OTHER, weight: 0.5 }] }],
    });
    const settings = {
      '--llm': OTHER,
      '--temp': '1.5',
      '--token-budget': '99',
      '--sys-prompt': 'Be brief.',
      '--prompt': '{{ userQuery }}',
      '--max-scan-tuples': '7',
      '--scan-mem-multiplier': '2',
      '--neighbors': '3',
    };
    expect(await request(...Object.entries(settings).flat(), '--content', '--explain')).toMatchObject({
      hnsw: { maxScanTuples: 7, scanMemMultiplier: 2 },
      neighbors: 3,
      fetchMemoryContent: true,
      explain: true,
      postProcessor: {
        config: {
          llm_id: OTHER,
          llm_temp: 1.5,
          gen_token_budget: 99,
          sys_prompt: 'Be brief.',
          prompt: '{{ userQuery }}',
        },
      },
    });
    expect((await svc(['retrieve', 'q', '--space', SPACE, '--max-results', '1', '--candidates', '2'])).code).toBe(64);
  });

  test.each([
    ['0', []],
    ['1001', []],
    ['1500', []],
    ['1500', ['--no-chronological']],
  ])('--max-results %s %j is out of the bounds of the setting, and nothing is asked', async (count, others) => {
    const { svc, server } = await retrieving([end]);
    const refused = await svc(['retrieve', 'q', '--space', SPACE, '--max-results', count, ...others]);
    expect(refused.code).toBe(64);
    expect(refused.stderr).toContain(`svc: --max-results must be an integer from 1 to 1000, got "${count}"`);
    expect(server.calls).toEqual([]);
  });

  test('@- reads the question from stdin', async () => {
    const { svc, lastRequest } = await retrieving([end]);
    const piped = (stdin: string, ...flags: string[]) => svc(['retrieve', 'q', '--space', SPACE, ...flags], { stdin });
    expect((await piped('hello', '--context', '@-')).code).toBe(0);
    expect(lastRequest()).toMatchObject({ context: [{ item: { case: 'text', value: 'hello' } }] });
    expect((await piped('{"a":1}', '--post-processor-config', '@-')).code).toBe(0);
    expect(lastRequest()).toMatchObject({ postProcessor: { config: { a: 1 } } });
  });

  test('without --space: every own space, at most 100', async () => {
    const many = (count: number) =>
      against({
        unary: {
          GetUser: () => ({ userId: ME }),
          ListSpaces: () => ({
            spaces: Array.from({ length: count }, (_, i) => ({ ...house, spaceId: `${SPACE.slice(0, -3)}${100 + i}` })),
          }),
        },
        stream: {
          RetrieveMemory: (call, send) => {
            send(end);
            call.end();
          },
        },
      });
    const hundred = await many(100);
    expect((await hundred.svc(['retrieve', 'q'])).code).toBe(0);
    expect(hundred.server.calls.at(-1)?.request).toHaveProperty('spaceKeys.length', 100);
    expect((await (await many(101)).svc(['retrieve', 'q'])).stderr).toContain('Name the ones to search with --space');
    expect(await (await many(0)).svc(['retrieve', 'q'])).toMatchObject({ code: 66 });
  });
});
