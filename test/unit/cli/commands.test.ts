import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../src/cli/kit/errors.ts';
import { notFound } from '../../../src/shared/errors.ts';
import { ApiKeyService } from '../../../src/shared/gen/service/v1/api_key_pb.ts';
import { EmbedderService } from '../../../src/shared/gen/service/v1/embedder_pb.ts';
import { MemoryService, RetrieveMemoryEventSchema } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { PingControl, PingService } from '../../../src/shared/gen/service/v1/ping_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { SpaceService } from '../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../../src/shared/gen/service/v1/system_pb.ts';
import { UserService } from '../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../src/shared/time.ts';
import { failure, refusal } from './grpc-failure.fixture.ts';
import type { Handlers } from './grpc-server.fixture.ts';
import { useService } from './service.fixture.ts';

const SERVICES = [ApiKeyService, EmbedderService, MemoryService, PingService, SpaceService, SystemService, UserService];
const SPACE = '01980000-0000-7000-8000-0000000000b1';
const OTHER = '01980000-0000-7000-8000-0000000000b2';
const ME = '01980000-0000-7000-8000-000000000001';
const against = useService(SERVICES);
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));

const house = { spaceId: SPACE, name: 'house', ownerId: ME, createdAt };

describe('lists and records', () => {
  const spaces = () => against({ unary: { ListSpaces: () => ({ spaces: [house] }), GetSpace: () => house } });

  test('a pipe gets full-width lines, JSON forms get data alone', async () => {
    const { svc } = await spaces();
    const pipe = await svc(['spaces', 'list']);
    expect(pipe.stdout.split('\n')).toEqual([
      expect.stringMatching(/^ID +NAME +PUBLIC +LABELS +CREATED +MEMORIES +SIZE$/),
      `${SPACE}  house  no              2026-03-03T09:30:00Z`,
      '',
    ]);
    const ndjson = await svc(['spaces', 'list', '-o', 'ndjson']);
    expect(JSON.parse(ndjson.stdout)).toMatchObject({ spaceId: SPACE, name: 'house', createdAt: 1772530200000 });
    const json = await svc(['spaces', 'list', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toEqual([JSON.parse(ndjson.stdout)]);
    expect([pipe.stderr, ndjson.stderr, json.stderr]).toEqual(['', '', '']);
  });

  test('a terminal gets a table; of one record its fields and values', async () => {
    const { svc } = await spaces();
    expect((await svc(['spaces', 'list', '--no-color'], { terminal: true, columns: 80 })).stdout).toContain('─────');
    const shown = await svc(['spaces', 'get', SPACE, '--no-color'], { terminal: true, columns: 80 });
    expect(shown.stdout).toMatchInlineSnapshot(`
      "FIELD    VALUE
      ─────────────────────────────────────────────
      id       01980000-0000-7000-8000-0000000000b1
      name     house
      owner    01980000-0000-7000-8000-000000000001
      public   no
      created  2026-03-03T09:30:00Z (2 days ago)
      "
    `);
  });

  test('pages are followed to the limit', async () => {
    const { svc, server } = await against({
      unary: {
        ListSpaces: ({ request }) => {
          const { nextToken } = request as unknown as { nextToken?: string };
          return nextToken === undefined ? { spaces: [house, house], nextToken: 'two' } : { spaces: [house] };
        },
      },
    });
    const count = async (...flags: string[]) =>
      (await svc(['spaces', 'list', '-o', 'ndjson', ...flags])).stdout.trimEnd().split('\n').length;
    expect([await count('--all'), await count('--limit', '1'), await count('--limit', '3')]).toEqual([3, 1, 3]);
    expect(server.calls.map(({ request }) => (request as { maxResults: number }).maxResults)).toEqual([
      1000, 1000, 1, 3, 1,
    ]);
  });

  test('an empty list says what to do next, and is a success', async () => {
    const { svc } = await against({ unary: { ListSpaces: () => ({}) } });
    expect(await svc(['spaces', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No spaces yet. Make one: svc spaces create NAME\n',
    });
    expect(await svc(['spaces', 'list', '-o', 'json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });
});

describe('errors of the server', () => {
  test.each([
    [3, 'INVALID_ARGUMENT', 65],
    [8, 'PAYLOAD_TOO_LARGE', 65],
    [8, 'RESOURCE_EXHAUSTED', 75],
    [5, 'NOT_FOUND', 66],
    [14, 'UNAVAILABLE', 69],
    [9, 'FAILED_PRECONDITION', 1],
    [4, 'DEADLINE_EXCEEDED', 75],
  ])('gRPC %i with %s ends with %i', async (status, code, exit) => {
    const trailing = { 'x-error-code': code, 'x-error-details': encodeURIComponent('näme: not a name') };
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(status, 'It failed', trailing);
        },
      },
    });
    const result = await svc(['spaces', 'list', '-o', 'json']);
    expect(result.code).toBe(exit);
    expect(result.stdout).toBe('');
    expect(JSON.parse(result.stderr)).toEqual({ error: { code, message: 'It failed', details: 'näme: not a name' } });
  });

  test('a key that the server refuses is told from none at all', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(16, 'A usable API key is required', { 'x-error-code': 'UNAUTHENTICATED' });
        },
      },
    });
    const key = `svc_${'a'.repeat(32)}`;
    expect(await svc(['spaces', 'list', '--api-key', key])).toEqual({
      code: 77,
      stdout: '',
      stderr: `svc: The server does not accept the API key svc_aaaa…
  It may be expired, inactive, deleted or of another server. To see where it comes from: svc config
`,
    });
  });

  test('without our metadata the gRPC status decides', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(8, 'too big');
        },
      },
    });
    expect((await svc(['spaces', 'list'])).code).toBe(75);
  });

  test.each([
    [5, 66, 'NOT_FOUND'],
    [13, 1, 'INTERNAL'],
  ])('a status %i without a message is told by its code', async (status, exit, code) => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(status, '');
        },
      },
    });
    const { code: ended, stderr } = await svc(['spaces', 'list']);
    expect(ended).toBe(exit);
    expect(stderr).toMatch(new RegExp(`^svc: The server answered with ${code} and no message\\n`));
  });

  test('people get what, why and what next', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(8, 'Rate limit exceeded', {
            'x-error-code': 'RESOURCE_EXHAUSTED',
            'x-error-details': 'limit%20600%20per%2060%20s',
            'retry-after': '12',
          });
        },
      },
    });
    expect((await svc(['spaces', 'list'])).stderr).toBe(
      'svc: Rate limit exceeded\n  limit 600 per 60 s\n  Try again in 12 s\n',
    );
  });
});

describe('names of spaces', () => {
  const listing = (own: object[], open: object[]): Handlers => ({
    unary: {
      GetUser: () => ({ userId: ME }),
      ListSpaces: ({ request }) => ({
        spaces: (request as unknown as { publicRead?: boolean }).publicRead ? open : own,
      }),
      GetSpace: ({ request }) => ({ ...house, spaceId: (request as unknown as { spaceId: string }).spaceId }),
    },
  });

  test('own ones first, then public ones; an id is taken as it is', async () => {
    const foreign = { ...house, spaceId: OTHER };
    const idOf = async (handlers: Handlers, name: string) => {
      const { svc } = await against(handlers);
      return JSON.parse((await svc(['spaces', 'get', name, '-o', 'ndjson'])).stdout).spaceId;
    };
    expect(await idOf(listing([house], [foreign]), 'house')).toBe(SPACE);
    expect(await idOf(listing([], [foreign]), 'house')).toBe(OTHER);
    expect(await idOf({ unary: listing([], []).unary ?? {} }, OTHER.toUpperCase())).toBe(OTHER);
  });

  test('several are an error that lists the ids, none is not found', async () => {
    const several = await against(listing([], [house, { ...house, spaceId: OTHER }]));
    const result = await several.svc(['spaces', 'get', 'house']);
    expect(result.code).toBe(64);
    expect(result.stderr).toContain(`${SPACE} house of ${ME}, ${OTHER} house of ${ME}`);
    const none = await against(listing([], []));
    expect((await none.svc(['spaces', 'get', 'house'])).code).toBe(66);
  });

  test('wildcards in a name are letters, and capitals count where they can', async () => {
    const { svc, server } = await against(
      listing(
        [
          { ...house, name: 'A*' },
          { ...house, spaceId: OTHER, name: 'a*' },
        ],
        [],
      ),
    );
    expect(JSON.parse((await svc(['spaces', 'get', 'a*', '-o', 'ndjson'])).stdout).spaceId).toBe(OTHER);
    expect(server.calls.find(({ name }) => name === 'ListSpaces')?.request).toMatchObject({
      nameFilter: 'a\\*',
      ownerId: ME,
    });
  });
});

describe('delete', () => {
  const handlers: Handlers = { unary: { DeleteSpace: () => ({}) } };
  test('needs -f where nobody can be asked', async () => {
    const { svc, server } = await against(handlers);
    expect((await svc(['spaces', 'delete', SPACE])).code).toBe(64);
    expect(server.calls).toEqual([]);
    expect(await svc(['spaces', 'delete', SPACE, '-f'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `Deleted space ${SPACE}\n`,
    });
  });
  test.each([
    ['y\n', 0, 1],
    ['yes\n', 0, 1],
    ['n\n', 1, 0],
    ['\n', 1, 0],
    ['', 1, 0],
  ])('asks on a terminal: %j', async (stdin, code, calls) => {
    const { svc, server } = await against(handlers);
    const result = await svc(['spaces', 'delete', SPACE], { terminal: true, stdin });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain('This cannot be undone. [y/N]');
    expect(server.calls).toHaveLength(calls);
  });
});

test('init: the key alone on stdout, and the token in the metadata', async () => {
  let token: unknown;
  const { svc } = await against({
    unary: {
      InitializeSystem: ({ metadata }) => {
        token = metadata.get('x-service-init-token')[0];
        return { message: 'made', rootApiKey: 'svc_root', userId: ME };
      },
    },
  });
  const { code, stdout, stderr } = await svc(['init', '--init-token', '-'], { stdin: 'sesame\n' });
  expect({ code, stdout, token }).toEqual({ code: 0, stdout: 'svc_root\n', token: 'sesame' });
  expect(stderr).toContain('cannot be shown again');
  const file = join(await mkdtemp(join(tmpdir(), 'svc-init-')), 'token.txt');
  await writeFile(file, 'from a file\n');
  expect(await svc(['init', '--init-token-file', file])).toMatchObject({ code: 0, stdout: 'svc_root\n' });
  expect(token).toBe('from a file');
  const both = await svc(['init', '--init-token-file', file, '--init-token', 'x']);
  expect(both).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Give --init-token or --init-token-file, not both'),
  });
  await writeFile(file, '\n');
  expect(await svc(['init', '--init-token-file', file])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('is empty'),
  });
  expect(await svc(['init', '--init-token-file', `${file}.missing`])).toMatchObject({ code: 66, stdout: '' });
  await rm(dirname(file), { recursive: true });
  const { svc: again } = await against({ unary: { InitializeSystem: () => ({ alreadyInitialized: true }) } });
  expect(await again(['init'])).toMatchObject({ code: 0, stdout: '' });
});

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

  test('a stream that ends before END is told apart', async () => {
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
    let isCancelled = false;
    const { svc } = await against({
      stream: {
        RetrieveMemory: (call, send) => {
          call.on('cancelled', () => {
            isCancelled = true;
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
    await expect.poll(() => isCancelled).toBe(true);
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

  test('@- is what is piped in', async () => {
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

describe('ping', () => {
  const endpoint = {
    targetId: OTHER,
    provider: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    resolvedEndpoint: 'builtin:lexical-v1',
  };
  const result = (seq: number, ok = true) => ({
    event: {
      case: 'result',
      value: {
        endpoint,
        seq,
        ok,
        rttMs: 1.5,
        bytesSent: 64n,
        bytesReceived: 128n,
        errorMessage: ok ? undefined : 'refused',
      },
    },
  });
  const summary = {
    event: {
      case: 'summary',
      value: {
        endpoint,
        requests: 2,
        responses: 2,
        ok: 1,
        errors: 1,
        rttMinMs: 1.5,
        rttAvgMs: 1.5,
        rttP50Ms: 1.5,
        rttP90Ms: 1.5,
        rttP99Ms: 1.5,
        rttMaxMs: 12.25,
      },
    },
  };

  test('one probe; without an id of the default embedder', async () => {
    const { svc, server } = await against({
      unary: {
        ListEmbedders: () => ({ embedders: [{ embedderId: SPACE }, { embedderId: OTHER }] }),
        PingOnce: () => result(1).event.value,
      },
    });
    expect(await svc(['ping', '-t', '2s'])).toEqual({
      code: 0,
      stdout: 'seq=1 time=1.50 ms sent=64 received=128\n',
      stderr: '',
    });
    expect(server.calls[0]?.request).toMatchObject({ label: { default: 'true' } });
    expect(server.calls[1]?.request).toMatchObject({ targetId: OTHER, timeoutMs: 2000n });
  });

  test('a stream with its statistics', async () => {
    const { svc } = await against({
      duplex: {
        Ping: (call, send) => {
          call.once('data', () => {
            for (const message of [result(1), result(2, false), summary]) send(message);
            call.end();
          });
        },
      },
    });
    const { code, stdout } = await svc(['ping', OTHER, '--stream', '-c', '2', '-i', '10ms'], { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "PING lexical-v1 (BUILTIN) at builtin:lexical-v1
      seq=1 time=1.50 ms sent=64 received=128
      seq=2 time=1.50 ms sent=64 received=128 error: refused

      --- lexical-v1 ping statistics ---
      2 probes, 1 ok, 1 error, 0 time-outs, 50% loss
      rtt min/avg/p50/p90/p99/max = 1.50/1.50/1.50/1.50/1.50/12.3 ms
      "
    `);
    const piped = await svc(['ping', OTHER, '--stream']);
    expect(
      piped.stdout
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line))[0]),
    ).toEqual(['result', 'result', 'summary']);
  });

  test('no probe succeeded: 1; no statistics: 76', async () => {
    const streaming = (messages: readonly Record<string, unknown>[]) =>
      against({
        duplex: {
          Ping: (call, send) => {
            call.once('data', () => {
              for (const message of messages) send(message);
              call.end();
            });
          },
        },
      });
    expect((await (await streaming([result(1, false), summary])).svc(['ping', OTHER, '--stream'])).code).toBe(1);
    expect((await (await streaming([result(1)])).svc(['ping', OTHER, '--stream'])).code).toBe(76);
  });

  test('Ctrl-C asks for the statistics, prints them and ends with 130', async () => {
    const stop = new AbortController();
    const { svc } = await against({
      duplex: {
        Ping: (call, send) => {
          call.on('data', (message: { message: { case: string; value: unknown } }) => {
            if (message.message.case === 'config') send(result(1));
            if (message.message.value === PingControl.CANCEL) {
              send(summary);
              call.end();
            }
          });
        },
      },
    });
    const { code, stdout } = await svc(['ping', OTHER, '--stream'], {
      terminal: true,
      signal: stop.signal,
      onOutput: (text) => text.includes('seq=1') && !stop.signal.aborted && stop.abort(new Interrupted('SIGINT')),
    });
    expect(code).toBe(130);
    expect(stdout).toContain('ping statistics');
  });
});
