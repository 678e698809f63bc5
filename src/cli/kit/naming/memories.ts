import { isUuid } from '../../../shared/fields/formats.ts';
import { type Memory, MemoryService } from '../../../shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../shared/gen/service/v1/space_pb.ts';
import { type Client, filterLiteral } from '../client/client.ts';
import { usageError } from '../errors.ts';
import {
  type Deletion,
  described,
  isIdPrefix,
  known,
  type Named,
  type Noun,
  nothingCalled,
  nothingToDelete,
  only,
} from './names.ts';
import { ownSpaceIds, spaceById } from './spaces.ts';

const MEMORIES: Noun = { one: 'Memory', many: 'memories', list: 'svc memories list SPACE' };
/** Each space is a call of its own, and a key may make 600 in a minute. */
const MOST_SPACES = 100;
/** Of one space: more than this show no more than that a name is not enough. */
const MOST_FOUND = 20;
/** Of those with that file name, as many are told. */
const MOST_ALIKE = 5;
/** One after the other takes long; many at once delay the other clients. */
const AT_ONCE = 4;

/**
 * The id of a memory that is named by its id, the beginning of it, or the path or file name in its metadata. All but whole
 * ids are looked for in the caller's own spaces, then in the newest of the others that lists show.
 */
export async function resolveMemory(client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const spaceIds = await searchedSpaceIds(client);
  const own = await foundIn(client, spaceIds, wanted);
  const all = own.length > 0 ? own : await foundIn(client, await otherSpaceIds(client, spaceIds), wanted);
  const found = only(all.map(namedMemory), wanted, MEMORIES);
  if (found !== undefined) return found.id;
  throw nothingCalled(wanted, MEMORIES, []);
}

/**
 * The memories that are to be deleted, in their order. A whole id names any; a path has to be that of a memory in the
 * caller's own spaces, and a file name is not enough: what is called alike must not go in the place of what is gone.
 */
export async function memoryDeletions(client: Client, wanted: readonly string[]): Promise<Deletion[]> {
  const places = new Map<string, Promise<string>>();
  const placeOf = (spaceId: string): Promise<string> => {
    const place = places.get(spaceId) ?? spaceText(client, spaceId);
    places.set(spaceId, place);
    return place;
  };
  const spaceIds = wanted.every(isUuid) ? [] : await searchedSpaceIds(client);
  const found = new Map<string, Deletion>();
  for (const one of new Set(wanted)) {
    const memory = isUuid(one) ? undefined : await ownMemory(client, spaceIds, one);
    const id = memory?.memoryId ?? one.toLowerCase();
    found.set(one, { id, described: () => describedMemory(client, memory ?? id, placeOf) });
  }
  return wanted.flatMap((one) => found.get(one) ?? []);
}

async function ownMemory(client: Client, spaceIds: readonly string[], wanted: string): Promise<Memory> {
  const found = await foundIn(client, spaceIds, wanted);
  const named = found.map((memory) => ({ ...namedMemory(memory), memory }));
  const isBegun = (id: string): boolean => isIdPrefix(wanted) && id.startsWith(wanted.toLowerCase());
  const exact = named.filter(({ id, memory }) => memory.metadata?.path === asKept(wanted) || isBegun(id));
  const one = only(exact, wanted, MEMORIES);
  if (one !== undefined) return one.memory;
  const alike = named.slice(0, MOST_ALIKE).map(({ id, names: [name = ''] }) => `${name} (${id})`);
  const hint = alike.length > 0 ? `a file name is not enough: ${alike.join(', ')}` : undefined;
  throw nothingToDelete(wanted, MEMORIES, { hint, isOwned: true });
}

async function describedMemory(
  client: Client,
  memory: Memory | string,
  placeOf: (spaceId: string) => Promise<string>,
): Promise<string> {
  if (typeof memory !== 'string')
    return `${await described(client, namedMemory(memory))} in ${await placeOf(memory.spaceId)}`;
  let spaceId: string | undefined;
  const looked = await known(memory, async () => {
    const record = await client.call(MemoryService.method.getMemory, { memoryId: memory });
    spaceId = record.spaceId;
    return namedMemory(record);
  });
  const text = await described(client, looked);
  return spaceId === undefined ? text : `${text} in ${await placeOf(spaceId)}`;
}

async function spaceText(client: Client, spaceId: string): Promise<string> {
  return `the space ${await described(client, await known(spaceId, () => spaceById(client, spaceId)))}`;
}

async function searchedSpaceIds(client: Client): Promise<string[]> {
  const spaceIds = await ownSpaceIds(client, MOST_SPACES);
  if (spaceIds.length <= MOST_SPACES) return spaceIds;
  throw usageError(`With more than ${MOST_SPACES} spaces a memory must be given by its whole id`, {
    next: 'List those of a space with their ids: svc memories list SPACE --wide',
  });
}

/** A path as metadata have it: without the folder that every shell may put before it. */
function asKept(path: string): string {
  return path.replace(/^(\.\/)+/, '');
}

/** Public ones, and for administrators those of all users. */
async function otherSpaceIds(client: Client, own: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    [{}, { publicRead: true }].map((scope) =>
      client.call(SpaceService.method.listSpaces, { ...scope, maxResults: MOST_SPACES }),
    ),
  );
  const ids = new Set(lists.flatMap(({ spaces }) => spaces.map(({ spaceId }) => spaceId)));
  return [...ids].filter((id) => !own.includes(id)).slice(0, MOST_SPACES);
}

async function foundIn(client: Client, spaceIds: readonly string[], wanted: string): Promise<Memory[]> {
  if (isIdPrefix(wanted)) {
    // No character of an id means anything to LIKE.
    const byId = await matching(client, spaceIds, `field('memoryId') LIKE '${wanted.toLowerCase()}%'`);
    if (byId.length > 0) return byId;
  }
  const path = asKept(wanted);
  const name = filterLiteral(path);
  const byName = await matching(client, spaceIds, `val('$.path') = ${name} OR val('$.filename') = ${name}`);
  const byPath = byName.filter(({ metadata }) => metadata?.path === path);
  return byPath.length > 0 ? byPath : byName;
}

async function matching(client: Client, spaceIds: readonly string[], filter: string): Promise<Memory[]> {
  const left = [...spaceIds];
  const found: Memory[] = [];
  const worker = async (): Promise<void> => {
    for (let spaceId = left.shift(); spaceId !== undefined; spaceId = left.shift()) {
      const request = { spaceId, filter, maxResults: MOST_FOUND };
      found.push(...(await client.call(MemoryService.method.listMemories, request)).memories);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}

/** A memory by its path, or else its file name. */
export function namedMemory({ memoryId, metadata }: Memory): Named {
  const name = metadata?.path ?? metadata?.filename;
  return { id: memoryId, names: typeof name === 'string' ? [name] : [] };
}
