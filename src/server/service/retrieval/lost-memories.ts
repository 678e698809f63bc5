import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { OwnedMemoryRow } from '../../store/memories.ts';
import { selectSpaces } from '../../store/spaces.ts';
import { requireInSpace, type SpaceAccess } from '../permission.ts';
import { memoryLoadFailed, spaceInaccessible, spaceNotFound } from './search-statuses.ts';

interface Lost {
  /** Ids of the memories whose items are left out. */
  lost: Set<string>;
  statuses: RetrieveMemoryEvent[];
}

/**
 * Which of the memories that a search found cannot be shown any more: their space was closed to the caller or deleted
 * while the call ran, or they were deleted themselves. The database is asked again only when something is missing.
 */
export async function lostMemories(
  db: Db,
  found: readonly { memoryId: string; spaceId: string }[],
  rows: ReadonlyMap<string, OwnedMemoryRow>,
  context: CallContext,
): Promise<Lost> {
  const spaceOf = new Map(found.map(({ memoryId, spaceId }) => [memoryId, spaceId]));
  const missing = [...spaceOf.keys()].filter((id) => !rows.has(id));
  const closed = [...rows.values()].filter((row) => !mayRead(context, row));
  const closedSpaces = [...new Set(closed.map(({ spaceId }) => spaceId))];
  const suspects = [...new Set(missing.map((id) => spaceOf.get(id) ?? ''))];
  const gone = await goneSpaces(db, suspects, context);
  const single = missing.filter((id) => !gone.includes(spaceOf.get(id) ?? ''));
  return {
    lost: new Set([...missing, ...closed.map(({ memoryId }) => memoryId)]),
    statuses: [...gone.map(spaceNotFound), ...closedSpaces.map(spaceInaccessible), ...single.map(memoryLoadFailed)],
  };
}

/** Which of these spaces do not exist any more. */
export async function goneSpaces(db: Db, ids: readonly string[], { signal }: Pick<CallContext, 'signal'>) {
  if (ids.length === 0) return [];
  const there = new Set((await selectSpaces(db.main, ids, { signal })).map(({ spaceId }) => spaceId));
  return ids.filter((id) => !there.has(id));
}

function mayRead(context: CallContext, space: SpaceAccess): boolean {
  try {
    requireInSpace(context, 'READ_MEMORY', space);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PERMISSION_DENIED') return false;
    throw error;
  }
}
