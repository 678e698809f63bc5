import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { OwnedMemoryRow } from '../../store/memories.ts';
import { selectSpaces } from '../../store/spaces.ts';
import { requireInSpace, type SpaceAccess } from '../permission.ts';
import { memoryLoadFailed, spaceInaccessible, spaceNotFound } from './search-statuses.ts';

export interface Inaccessible {
  /** Ids of the memories whose items are left out. */
  inaccessible: Set<string>;
  statuses: RetrieveMemoryEvent[];
}

/**
 * The memories found by a search that must not be returned: they, or their space, were deleted during the call, or the
 * caller lost the permission to read the space. Queries the spaces only when a memory is missing.
 */
export async function inaccessibleMemories(
  db: Db,
  found: readonly { memoryId: string; spaceId: string }[],
  rows: ReadonlyMap<string, OwnedMemoryRow>,
  context: CallContext,
): Promise<Inaccessible> {
  const spaceOf = new Map(found.map(({ memoryId, spaceId }) => [memoryId, spaceId]));
  const missing = [...spaceOf.keys()].filter((id) => !rows.has(id));
  const closed = [...rows.values()].filter((row) => !mayRead(context, row));
  const closedSpaces = [...new Set(closed.map(({ spaceId }) => spaceId))];
  const suspects = [...new Set(missing.map((id) => spaceOf.get(id) ?? ''))];
  const gone = await deletedSpaces(db, suspects, context);
  const single = missing.filter((id) => !gone.includes(spaceOf.get(id) ?? ''));
  return {
    inaccessible: new Set([...missing, ...closed.map(({ memoryId }) => memoryId)]),
    statuses: [...gone.map(spaceNotFound), ...closedSpaces.map(spaceInaccessible), ...single.map(memoryLoadFailed)],
  };
}

/** The ids of the spaces that no longer exist. */
export async function deletedSpaces(db: Db, ids: readonly string[], { signal }: Pick<CallContext, 'signal'>) {
  if (ids.length === 0) return [];
  const there = new Set((await selectSpaces(db.main, ids, { signal })).map(({ spaceId }) => spaceId));
  return ids.filter((id) => !there.has(id));
}

/** Whether the caller may read the memories of a space. */
export function mayRead(context: CallContext, space: SpaceAccess): boolean {
  try {
    requireInSpace(context, 'READ_MEMORY', space);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PERMISSION_DENIED') return false;
    throw error;
  }
}
