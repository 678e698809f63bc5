import { describe, expect, test } from 'vitest';
import type { Handlers } from '../../../../support/client/grpc-server.fixture.ts';
import { ALL_SERVICES } from '../../all-services.fixture.ts';
import { useService } from '../../service.fixture.ts';

const start = useService(ALL_SERVICES);

const ME = '01980000-0000-7000-8000-000000000001';
/** Two that are told apart by more than their first eight characters, and one that begins otherwise. */
const A = '0198aaaa-1111-7000-8000-000000000001';
const B = '0198aaaa-2222-7000-8000-000000000002';
const C = '7c1f00dd-3333-5000-8000-000000000003';

const ids = [A, B, C];
const names = ['Small text', 'large', 'Twin'];
const targets = (key: string) => ids.map((id, at) => ({ [key]: id, displayName: names[at] }));
const spaces = ids.map((spaceId, at) => ({ spaceId, name: names[at], ownerId: ME }));

interface SpaceQuery {
  ownerId?: string;
  publicRead?: boolean;
  nameFilter?: string;
}

const unary: NonNullable<Handlers['unary']> = {
  GetUser: ({ request }) => {
    const { email, userId } = request as unknown as { email?: string; userId?: string };
    return { userId: userId ?? (email === 'ada@example.org' ? A : ME) };
  },
  ListUsers: () => ({
    users: [
      { userId: A, email: 'ada@example.org', displayName: 'Ada', username: 'ada' },
      { userId: B, email: 'grace@example.org', displayName: 'Grace' },
    ],
  }),
  ListApiKeys: () => ({
    keys: [
      { apiKeyId: A, keyPrefix: 'svc_4fgh', labels: { robot: 'sync' } },
      { apiKeyId: B, keyPrefix: 'svc_9xyz', labels: { name: 'ci', robot: 'sync' } },
    ],
  }),
  GetApiKey: () => ({}),
  UpdateUser: () => ({}),
  ListEmbedders: () => ({ embedders: targets('embedderId') }),
  ListLLMs: () => ({ llms: targets('llmId') }),
  ListRerankers: () => ({ rerankers: targets('rerankerId') }),
  GetEmbedder: () => ({}),
  GetLLM: () => ({}),
  GetReranker: () => ({}),
  CreateSpace: () => ({}),
  GetSpace: () => ({}),
  ListSpaces: ({ request }) => {
    const { publicRead, nameFilter } = request as unknown as SpaceQuery;
    if (publicRead === true) return {};
    return { spaces: spaces.filter(({ name }) => nameFilter === undefined || nameFilter === name) };
  },
  GetMemory: () => ({}),
  ListMemories: ({ request }) => ({ memories: memoriesOf(request as unknown as { spaceId: string; filter: string }) }),
};

/** The first space holds two versions of a file, the others a file each. */
function memoriesOf({ spaceId, filter }: { spaceId: string; filter: string }): object[] {
  const all = [
    { spaceId: A, memoryId: A, metadata: { path: 'notes/boiler.txt' } },
    { spaceId: A, memoryId: B, metadata: { path: 'notes/boiler.txt' } },
    { spaceId: B, memoryId: C, metadata: { path: "notes/it's.txt", filename: 'roof.md' } },
  ];
  const prefix = /LIKE '(.*)%'/.exec(filter)?.[1];
  const wanted = /val\('\$\.path'\) = '(.*?)' OR/.exec(filter)?.[1]?.replaceAll("''", "'");
  return all.filter((memory) => {
    if (memory.spaceId !== spaceId) return false;
    if (prefix !== undefined) return memory.memoryId.startsWith(prefix);
    return memory.metadata.path === wanted || memory.metadata.filename === wanted;
  });
}

/** The last request of the command. */
async function asked(...args: string[]) {
  const { svc, server, lastRequest } = await start({ unary });
  const { code, stderr } = await svc(args);
  return { code, stderr, request: lastRequest(), calls: server.calls.map(({ name }) => name) };
}

describe('whole ids make no call, in capitals too', () => {
  test.each([
    ['spaces', 'GetSpace', 'spaceId'],
    ['memories', 'GetMemory', 'memoryId'],
    ['embedders', 'GetEmbedder', 'embedderId'],
    ['llms', 'GetLLM', 'llmId'],
    ['rerankers', 'GetReranker', 'rerankerId'],
    ['users', 'GetUser', 'userId'],
    ['apikeys', 'GetApiKey', 'apiKeyId'],
  ])('%s', async (noun, call, key) => {
    expect(await asked(noun, 'get', C.toUpperCase())).toMatchObject({ code: 0, calls: [call], request: { [key]: C } });
  });
});

describe('names and prefixes of ids', () => {
  test.each([
    ['spaces get large', { spaceId: B }],
    ['spaces get 7c1f00dd', { spaceId: C }],
    ['spaces get 0198AAAA-2', { spaceId: B }],
    ['embedders get SMALL_TEXT', { embedderId: A }],
    ['llms get 0198aaaa-1111-7', { llmId: A }],
    ['rerankers get 7c1f00dd-', { rerankerId: C }],
    ['users get ada', { userId: A }],
    ['users get grace', { userId: B }],
    ['users update ada@example.org --username a', { userId: A }],
    ['apikeys get svc_4fgh', { apiKeyId: A }],
    ['apikeys get ci', { apiKeyId: B }],
    ['memories get roof.md', { memoryId: C }],
    ["memories get ./notes/it's.txt", { memoryId: C }],
    ['memories get 0198aaaa-2222', { memoryId: B }],
    ['spaces create new --owner grace --embedder Twin=0.5', { ownerId: B, spaceEmbedders: [{ embedderId: C }] }],
    ['spaces list --owner ada', { ownerId: A }],
    ['apikeys list --user grace', { userId: B }],
    ['embedders list --owner grace', { ownerId: B }],
  ])('svc %s', async (line, request) => {
    const words = line.split(' ').map((word) => word.replace('_TEXT', ' TEXT'));
    const { code, stderr, request: last } = await asked(...words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(last).toMatchObject(request);
  });

  test('models of a retrieval', async () => {
    const { svc, server } = await start({
      unary,
      stream: {
        RetrieveMemory: (call, send) => {
          send({ event: { case: 'resultSetBoundary', value: { kind: 2 } } });
          call.end();
        },
      },
    });
    const models = ['--reranker', 'large', '--llm', '7c1f00dd', '--embedder-weight', 'Twin=2'];
    await svc(['retrieve', 'boiler', '--space', 'Twin', ...models]);
    expect(server.calls.at(-1)?.request).toMatchObject({
      spaceKeys: [{ spaceId: C, embedderWeights: [{ embedderId: C, weight: 2 }] }],
      postProcessor: { config: { reranker_id: B, llm_id: C } },
    });
  });
});

describe('several and none', () => {
  test.each([
    [
      'spaces get 0198aaaa',
      `The ids of several spaces begin with 0198aaaa\n  ${A} Small text of ${ME}, ${B} large of ${ME}\n`,
    ],
    ['llms get 0198aaaa', `The ids of several LLMs begin with 0198aaaa\n  ${A} Small text, ${B} large\n`],
    ['apikeys get robot=sync', `Several API keys are named robot=sync\n  ${A} svc_4fgh, ${B} svc_9xyz\n`],
    [
      'memories get notes/boiler.txt',
      `Several memories are named notes/boiler.txt\n  ${A} notes/boiler.txt, ${B} notes/boiler.txt\n`,
    ],
  ])('svc %s', async (line, message) => {
    const next = '  Give the whole id of one of them\n';
    expect(await asked(...line.split(' '))).toMatchObject({ code: 64, stderr: `svc: ${message}${next}` });
  });

  test.each([
    ['embedders get larg', 'Embedder not found: larg', 'Did you mean large?', 'svc embedders list'],
    ['users delete graze -f', 'User not found: graze', 'Did you mean Grace?', 'svc users list'],
    [
      'llms get 7c1f00',
      'LLM not found: 7c1f00',
      'the beginning of an id must have at least 8 characters',
      'svc llms list',
    ],
    [
      'memories get 7c1f00de',
      'Memory not found: 7c1f00de',
      'nothing has this name or an id that begins with it',
      'svc memories list SPACE',
    ],
    [
      'apikeys get nosuch',
      'API key not found: nosuch',
      'nothing has this name or an id that begins with it',
      'svc apikeys list',
    ],
  ])('svc %s', async (line, what, why, list) => {
    expect(await asked(...line.split(' '))).toMatchObject({
      code: 66,
      stderr: `svc: ${what}\n  ${why}\n  See what there is: ${list}\n`,
    });
  });

  test('a memory path is looked up in many spaces with one call', async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ spaceId: `${A.slice(0, -3)}${100 + at}` }));
    const { svc, server } = await start({ unary: { ...unary, ListSpaces: () => ({ spaces: many }) } });
    expect(await svc(['memories', 'get', 'roof.md'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('With more than 100 spaces a memory must be given by its whole id'),
    });
    expect(server.calls.map(({ name }) => name)).not.toContain('ListMemories');
  });
});
