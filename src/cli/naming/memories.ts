import { isUuid } from '../../shared/fields/formats.ts';
import { type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import type { Client } from '../client/client.ts';
import { filterLiteral } from '../client/filter-literal.ts';
import { ownSpaceIds } from '../client/spaces.ts';
import { usageError } from '../failure.ts';
import { isIdPrefix, type Named, type Noun, nothingCalled, only } from './match.ts';

const MEMORIES: Noun = { one: 'Memory', many: 'memories', list: 'svc memories list SPACE' };
/** Each space is a call of its own, and a key may make 600 in a minute. */
const MOST_SPACES = 100;
/** Of one space: more than this show no more than that a name is not enough. */
const MOST_FOUND = 20;
/** One after the other spaces add up; many at once hold up everybody else. */
const AT_ONCE = 4;

/**
 * The id of a memory that is named by its id, the beginning of it, or the path or file name in its metadata. All but whole
 * ids are looked for in the caller's own spaces, then in the newest of the others that lists show.
 */
export async function resolveMemory(client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const spaceIds = await ownSpaceIds(client, MOST_SPACES);
  if (spaceIds.length > MOST_SPACES) {
    throw usageError(`With more than ${MOST_SPACES} spaces a memory must be given by its whole id`, {
      next: 'List those of a space with their ids: svc memories list SPACE --wide',
    });
  }
  const own = await foundIn(client, spaceIds, wanted);
  const found = only(
    own.length > 0 ? own : await foundIn(client, await otherSpaceIds(client, spaceIds), wanted),
    wanted,
    MEMORIES,
  );
  if (found !== undefined) return found.id;
  throw nothingCalled(wanted, MEMORIES, []);
}

/** The ids of several, in their order; what is named twice is looked for once. */
export async function resolveMemories(client: Client, wanted: readonly string[]): Promise<string[]> {
  const ids = new Map<string, string>();
  for (const one of new Set(wanted)) ids.set(one, await resolveMemory(client, one));
  return wanted.map((one) => ids.get(one) ?? one);
}

/** Public ones, and for administrators everybody's. */
async function otherSpaceIds(client: Client, own: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    [{}, { publicRead: true }].map((scope) =>
      client.call(SpaceService.method.listSpaces, { ...scope, maxResults: MOST_SPACES }),
    ),
  );
  const ids = new Set(lists.flatMap(({ spaces }) => spaces.map(({ spaceId }) => spaceId)));
  return [...ids].filter((id) => !own.includes(id)).slice(0, MOST_SPACES);
}

async function foundIn(client: Client, spaceIds: readonly string[], wanted: string): Promise<Named[]> {
  if (isIdPrefix(wanted)) {
    // No character of an id means anything to LIKE.
    const byId = await matching(client, spaceIds, `field('memoryId') LIKE '${wanted.toLowerCase()}%'`);
    if (byId.length > 0) return byId.map(namedMemory);
  }
  // As paths are kept: without the folder that every shell may put before them.
  const path = wanted.replace(/^(\.\/)+/, '');
  const name = filterLiteral(path);
  const byName = await matching(client, spaceIds, `val('$.path') = ${name} OR val('$.filename') = ${name}`);
  const byPath = byName.filter(({ metadata }) => metadata?.path === path);
  return (byPath.length > 0 ? byPath : byName).map(namedMemory);
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
