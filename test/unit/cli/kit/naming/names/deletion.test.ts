import { describe, expect, test } from 'vitest';
import type { Handlers } from '../../../../../support/client/grpc-server.fixture.ts';
import { ALL_SERVICES } from '../../../all-services.fixture.ts';
import { useService } from '../../../service.fixture.ts';

const start = useService(ALL_SERVICES);

const ME = '01980000-0000-7000-8000-000000000001';
const ADA = '01980000-0000-7000-8000-000000000002';
const MINE = '0198aaaa-1111-7000-8000-000000000001';
const HERS = '0198bbbb-2222-7000-8000-000000000002';
const DOCS = '7c1f00dd-3333-5000-8000-000000000003';
const ROOF = '7c1f00ee-3333-5000-8000-000000000004';
const HER_NOTE = '7c1f00ff-3333-5000-8000-000000000005';

const spaces = [
  { spaceId: MINE, name: 'house', ownerId: ME },
  { spaceId: HERS, name: 'attic', ownerId: ADA },
];
const memories = [
  { memoryId: DOCS, spaceId: MINE, metadata: { path: 'docs/README.md', filename: 'README.md' } },
  { memoryId: ROOF, spaceId: MINE, metadata: { path: 'roof.md', filename: 'roof.md' } },
  { memoryId: HER_NOTE, spaceId: HERS, metadata: { path: 'note.md', filename: 'note.md' } },
];
const targets = (key: string) => [
  { [key]: MINE, displayName: 'Small', ownerId: ME },
  { [key]: HERS, displayName: 'Large', ownerId: ADA },
];
const people = [
  { userId: ME, email: 'me@example.org', displayName: 'Me' },
  { userId: ADA, email: 'ada@example.org', displayName: 'Ada' },
];

interface Query {
  spaceId: string;
  filter: string;
  ownerId?: string;
  nameFilter?: string;
}

/** An administrator's view: lists show what belongs to others. */
const unary: NonNullable<Handlers['unary']> = {
  GetUser: ({ request }) =>
    people.find(({ userId }) => userId === (request as { userId?: string }).userId) ?? { ...people[0] },
  ListUsers: () => ({ users: people }),
  ListSpaces: ({ request }) => {
    const { ownerId, nameFilter } = request as unknown as Query;
    const isMeant = (space: (typeof spaces)[number]): boolean =>
      (ownerId === undefined || space.ownerId === ownerId) &&
      (nameFilter === undefined || space.name.toLowerCase() === nameFilter.toLowerCase());
    return { spaces: spaces.filter(isMeant) };
  },
  GetSpace: ({ request }) => ({ ...spaces.find(({ spaceId }) => spaceId === (request as unknown as Query).spaceId) }),
  ListMemories: ({ request }) => {
    const { spaceId, filter } = request as unknown as Query;
    const prefix = /LIKE '(.*)%'/.exec(filter)?.[1];
    const named = /'\$\.path'\) = '(.*?)'/.exec(filter)?.[1];
    const found = memories.filter(({ memoryId, metadata: { path, filename } }) =>
      prefix === undefined ? path === named || filename === named : memoryId.startsWith(prefix),
    );
    return { memories: found.filter((memory) => memory.spaceId === spaceId) };
  },
  GetMemory: ({ request }) => ({
    ...memories.find(({ memoryId }) => memoryId === (request as unknown as { memoryId: string }).memoryId),
  }),
  ListEmbedders: () => ({ embedders: targets('embedderId') }),
  GetEmbedder: () => ({ ...targets('embedderId')[1] }),
  ListLLMs: () => ({ llms: targets('llmId') }),
  ListRerankers: () => ({ rerankers: targets('rerankerId') }),
  ListApiKeys: () => ({ keys: [{ apiKeyId: MINE, keyPrefix: 'svc_4fgh', userId: ME, labels: { name: 'ci' } }] }),
  ...Object.fromEntries(
    ['Memory', 'Space', 'User', 'Embedder', 'LLM', 'Reranker', 'ApiKey'].map((noun) => [`Delete${noun}`, () => ({})]),
  ),
  BatchDeleteMemory: () => ({ results: [{ success: true }, { success: true }], totalDeleted: 2n }),
};

/** What a command line says, and what it has had deleted. */
async function deleting(line: string, stdin?: string) {
  const { svc, server } = await start({ unary });
  const { code, stderr } = await svc(
    line.split(' '),
    stdin === undefined ? {} : { terminal: true, stdin, columns: 200 },
  );
  const deleted = server.calls.filter(({ name }) => /Delete/.test(name)).map(({ request }) => request);
  return { code, stderr, deleted };
}

describe('ambiguous names and resources of other users are not deleted by name', () => {
  test.each([
    ['memories delete README.md -f', `a file name is not enough: docs/README.md (${DOCS})`],
    ['memories delete note.md -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ['memories delete 7c1f00ff -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ["memories delete --space attic --filter field('a')=1 -f", 'nothing of yours has exactly this name'],
    ['spaces delete attic -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ['spaces delete House -f', 'Did you mean house?'],
    ['spaces delete 0198bbbb -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ['embedders delete Large -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ['llms delete small -f', 'Did you mean Small?'],
    ['rerankers delete 0198bbbb -f', 'nothing of yours has exactly this name or an id that begins with it'],
    ['apikeys delete CI -f', 'Did you mean ci?'],
  ])('svc %s', async (line, why) => {
    const { code, stderr, deleted } = await deleting(line);
    expect({ code, deleted }, stderr).toEqual({ code: 66, deleted: [] });
    expect(stderr).toContain(`\n  ${why}`);
    expect(stderr).toContain(
      '\n  Only a whole id deletes what is called otherwise or is not yours. See what there is: ',
    );
  });

  test.each([
    ['memories delete docs/README.md -f', { memoryId: DOCS }],
    ['memories delete ./roof.md -f', { memoryId: ROOF }],
    ['memories delete 7c1f00ee -f', { memoryId: ROOF }],
    [`memories delete ${HER_NOTE.toUpperCase()} -f`, { memoryId: HER_NOTE }],
    ['spaces delete house -f', { spaceId: MINE }],
    ['spaces delete 0198aaaa -f', { spaceId: MINE }],
    [`spaces delete ${HERS} -f`, { spaceId: HERS }],
    ['embedders delete Small -f', { embedderId: MINE }],
    ['llms delete 0198aaaa -f', { llmId: MINE }],
    [`rerankers delete ${HERS} -f`, { rerankerId: HERS }],
    ['users delete ada@example.org -f', { userId: ADA }],
    ['apikeys delete ci -f', { apiKeyId: MINE }],
  ])('svc %s deletes it', async (line, request) => {
    const { code, stderr, deleted } = await deleting(line);
    expect(code, stderr).toBe(0);
    expect(deleted).toMatchObject([request]);
  });

  test('a user is deleted by any exact name, in its exact case', async () => {
    expect(await deleting('users delete ADA -f')).toEqual({
      code: 66,
      stderr: 'svc: User not found: ADA\n  Did you mean ada@example.org or Ada?\n  See what there is: svc users list\n',
      deleted: [],
    });
  });

  test('a whole id with -f makes no further call', async () => {
    const { svc, server } = await start({ unary });
    await svc(['spaces', 'delete', HERS, '-f']);
    await svc(['memories', 'delete', HER_NOTE, '-f']);
    expect(server.calls.map(({ name }) => name)).toEqual(['DeleteSpace', 'DeleteMemory']);
  });
});

describe('the question names the resource', () => {
  test.each([
    ['memories delete roof.md', `the memory roof.md (${ROOF}) in the space house (${MINE})`],
    [`memories delete ${HER_NOTE}`, `the memory note.md (${HER_NOTE}) in the space attic (${HERS}) of ada@example.org`],
    ["memories delete --space house --filter field('a')=1", `every memory of the space house (${MINE}) that matches`],
    ['spaces delete 0198aaaa', `the space house (${MINE}) with all its memories`],
    [`spaces delete ${HERS}`, `the space attic (${HERS}) of ada@example.org with all its memories`],
    ['embedders delete Small', `the embedder Small (${MINE})`],
    [`embedders delete ${HERS}`, `the embedder Large (${HERS}) of ada@example.org`],
    ['users delete Ada', `the user ada@example.org (${ADA}) with all its keys`],
    ['apikeys delete ci', `the API key svc_4fgh (${MINE})`],
  ])('svc %s', async (line, what) => {
    const { code, stderr, deleted } = await deleting(line, 'n\n');
    expect(stderr).toBe(`Delete ${what}? This cannot be undone. [y/N] svc: Nothing was deleted\n`);
    expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
  });

  test('several memories are listed above the question', async () => {
    const { stderr, deleted } = await deleting(`memories delete roof.md ${HER_NOTE}`, 'y\n');
    expect(stderr).toBe(
      `  roof.md (${ROOF}) in the space house (${MINE})\n` +
        `  note.md (${HER_NOTE}) in the space attic (${HERS}) of ada@example.org\n` +
        'Delete these 2 memories? This cannot be undone. [y/N] Deleted 2 memories\n',
    );
    expect(deleted).toMatchObject([{ memoryIds: [ROOF, HER_NOTE] }]);
  });

  test('a missing resource is reported before the question', async () => {
    const { code, stderr } = await deleting('spaces delete nosuch', 'y\n');
    expect(code).toBe(66);
    expect(stderr).not.toContain('[y/N]');
  });
});
