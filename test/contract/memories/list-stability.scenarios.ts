import { expect } from 'vitest';
import type { OperationKey } from '../../../src/shared/operations/table.ts';
import { raw } from '../../support/raw-rest.ts';
import { type Person, type Stage, unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const ORDERS = ['ASCENDING', 'DESCENDING'] as const;

/** A list with rows of its own, and what writes to it. */
interface Shelf {
  /** What selects the list. */
  scope: object;
  /** The ids of a page. */
  idsOf(page: Json): string[];
  /** Adds something and returns the ids of its rows. */
  add(name: string): Promise<string[]>;
  /** Removes something that `add` has added. */
  remove(ids: readonly string[]): Promise<unknown>;
}

interface PagedList {
  operation: OperationKey;
  /** What it can be sorted by, [undefined] when there is no choice. */
  sorts: readonly (string | undefined)[];
  /** Selects other rows, or the same in another order. */
  otherRequests: readonly object[];
  open(stage: Stage, admin: Person): Promise<Shelf>;
}

const LISTS: readonly PagedList[] = [
  {
    operation: 'listSpaces',
    sorts: ['created_time', 'updated_time', 'name'],
    otherRequests: [{ sortBy: 'name' }, { sortOrder: 'ASCENDING' }, { nameFilter: '*' }, { label: { other: 'x' } }],
    async open(stage, admin) {
      const labels = { shelf: unique('s') };
      // Of several owners, because names of one differ.
      const owners = [admin.userId, (await stage.person()).userId];
      let turn = 0;
      return {
        scope: { label: labels },
        idsOf: ({ spaces }) => spaces.map(({ spaceId }: Json) => spaceId),
        async add(name) {
          turn += 1;
          const ownerId = owners[turn % 2];
          return [(await stage.space({ name: `${name} ${Math.floor(turn / 2)}`, labels, ownerId }, admin.key)).spaceId];
        },
        remove: ([spaceId]) => stage.ok('deleteSpace', { spaceId }, admin.key),
      };
    },
  },
  {
    operation: 'listMemories',
    sorts: ['created_at', 'updated_at', 'content_type', 'processing_status'],
    otherRequests: [
      { sortBy: 'content_type' },
      { sortOrder: 'ASCENDING' },
      { statusFilter: 'COMPLETED' },
      { filter: 'TRUE' },
    ],
    async open(stage, admin) {
      const { spaceId } = await stage.space({}, admin.key);
      return {
        scope: { spaceId },
        idsOf: ({ memories }) => memories.map(({ memoryId }: Json) => memoryId),
        add: async () => [(await stage.memory({ spaceId }, admin.key)).memoryId],
        remove: ([memoryId]) => stage.ok('deleteMemory', { memoryId }, admin.key),
      };
    },
  },
  {
    operation: 'listChunks',
    sorts: [undefined],
    otherRequests: [],
    async open(stage, admin) {
      const { spaceId } = await stage.space({}, admin.key);
      const text = { originalContent: 'aa bb cc', chunkingConfig: { recursive: { chunkSize: 3 } } };
      return {
        scope: { spaceId },
        idsOf: ({ chunks }) => chunks.map((chunk: Json) => `${chunk.memoryId}/${chunk.chunkSequenceNumber}`),
        async add() {
          const { memoryId } = await stage.memory({ spaceId, ...text }, admin.key);
          return [0, 1, 2].map((sequence) => `${memoryId}/${sequence}`);
        },
        remove: ([id]) => stage.ok('deleteMemory', { memoryId: id?.split('/')[0] }, admin.key),
      };
    },
  },
  {
    operation: 'listUsers',
    sorts: [undefined],
    otherRequests: [],
    open: async (stage, admin) => ({
      scope: {},
      idsOf: ({ users }) => users.map(({ userId }: Json) => userId),
      async add(name) {
        const request = { email: `${unique(name)}@example.org`, displayName: name };
        return [(await stage.ok('createUser', request, admin.key)).userId];
      },
      remove: ([userId]) => stage.ok('deleteUser', { userId }, admin.key),
    }),
  },
];

async function addAll(shelf: Shelf, name: string, count: number): Promise<string[][]> {
  const added: string[][] = [];
  for (let n = 0; n < count; n += 1) added.push(await shelf.add(name));
  return added;
}

/** One reader of a list in an order of its own. */
interface Walk {
  request: object;
  seen: string[];
  nextToken: string | null | undefined;
}

function walksOf({ sorts }: PagedList): Walk[] {
  const requests = sorts.flatMap((sortBy) =>
    sortBy === undefined ? [{}] : ORDERS.map((sortOrder) => ({ sortBy, sortOrder })),
  );
  return requests.map((request) => ({ request, seen: [], nextToken: undefined }));
}

async function nextPage(stage: Stage, list: PagedList, shelf: Shelf, walk: Walk, key: string): Promise<void> {
  const request = { ...shelf.scope, ...walk.request, maxResults: 2, nextToken: walk.nextToken };
  const page = await stage.ok(list.operation, request, key);
  walk.seen.push(...shelf.idsOf(page));
  walk.nextToken = page.nextToken;
}

const stability: readonly Scenario[] = LISTS.map((list) => ({
  name: `${list.operation} shows what is there throughout exactly once, whatever comes and goes`,
  async run(stage) {
    const { key, userId } = await stage.person('ADMIN');
    const shelf = await list.open(stage, { key, userId });
    const doomed = await addAll(shelf, 'doomed', 2);
    const kept = (await addAll(shelf, 'kept', 4)).flat();
    doomed.push(...(await addAll(shelf, 'doomed', 2)));
    const walks = walksOf(list);
    // Ascending, a reader must gain on what is added.
    for (let step = 0, open = walks; open.length > 0; step += 1) {
      // From both ends, so that every order meets rows that go before and behind it.
      const victim = step % 2 === 0 ? doomed.shift() : doomed.pop();
      await Promise.all([
        ...open.map((walk) => nextPage(stage, list, shelf, walk, key)),
        step < 4 ? shelf.add('added') : undefined,
        victim === undefined ? undefined : shelf.remove(victim),
      ]);
      open = open.filter(({ nextToken }) => nextToken !== null);
    }
    for (const { request, seen } of walks) {
      const stayed = seen.filter((id) => kept.includes(id)).sort();
      expect(stayed, JSON.stringify(request)).toEqual([...kept].sort());
    }
  },
}));

const tokens: readonly Scenario[] = LISTS.map((list, index) => ({
  name: `a token of ${list.operation} is valid for its caller, filters and order only`,
  async run(stage) {
    const admin = await stage.person('ADMIN');
    const shelf = await list.open(stage, admin);
    await addAll(shelf, 'token', 3);
    const first = { ...shelf.scope, maxResults: 1 };
    const { nextToken } = await stage.ok(list.operation, first, admin.key);
    expect(nextToken).toMatch(/^[A-Za-z0-9_-]+$/);
    await stage.ok(list.operation, { ...first, nextToken }, admin.key);
    await stage.ok(list.operation, { ...first, maxResults: 2, nextToken }, admin.key);

    const refused = (request: object, as = admin.key) =>
      stage.refused(list.operation, { ...first, ...request }, 'INVALID_ARGUMENT', { as, details: 'nextToken' });
    const other = LISTS[(index + 1) % LISTS.length];
    const otherShelf = await other?.open(stage, admin);
    if (other === undefined || otherShelf === undefined) throw new Error('there is no other list');
    await addAll(otherShelf, 'token', 2);
    const foreign = await stage.ok(other.operation, { ...otherShelf.scope, maxResults: 1 }, admin.key);
    const flip = (at: number) =>
      `${nextToken.slice(0, at)}${nextToken[at] === 'A' ? 'B' : 'A'}${nextToken.slice(at + 1)}`;
    const misfits = [foreign.nextToken, flip(0), flip(nextToken.length >> 1), flip(nextToken.length - 4)];
    for (const bad of [...misfits, nextToken.slice(0, -4), nextToken.slice(4), `${nextToken}AAAA`, `${nextToken}=`]) {
      await refused({ nextToken: bad });
    }
    await refused({ nextToken }, stage.caller.key);
    for (const request of list.otherRequests) await refused({ ...request, nextToken });
    const sameKind = await list.open(stage, admin);
    if (list.operation !== 'listUsers') await refused({ ...sameKind.scope, nextToken });
  },
}));

const labelForms: Scenario = {
  name: 'a label filter has two forms in a query, and both bind the token',
  async run(stage) {
    const shelf = await LISTS[0]?.open(stage, await stage.person('ADMIN'));
    if (shelf === undefined) throw new Error('there is no list of spaces');
    await addAll(shelf, 'label', 3);
    const [[key, value]] = Object.entries((shelf.scope as { label: object }).label) as [[string, string]];
    const list = (query: string) => raw(stage.server, `/v1/spaces?maxResults=2&${query}`, { key: stage.caller.key });
    const dotted = await list(`label.${key}=${value}`);
    const bracketed = await list(`label%5B${key}%5D=${value}`);
    expect(bracketed.json).toEqual(dotted.json);
    expect(dotted.json.spaces).toHaveLength(2);
    expect((await list(`label[${key}]=${value}&nextToken=${dotted.json.nextToken}`)).json.spaces).toHaveLength(1);
    expect((await list(`label[${key}]=${value}&label.other=x`)).json.spaces).toEqual([]);
    expect((await list(`label[${key}]=x&nextToken=${dotted.json.nextToken}`)).error.details).toContain('nextToken');
    expect((await list(`label.${key}=${value}&sort_by=name`)).json.spaces).toHaveLength(2);
  },
};

export const listStability: readonly Scenario[] = [...stability, ...tokens, labelForms];
