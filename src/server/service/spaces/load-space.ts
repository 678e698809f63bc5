import { notFound } from '../../../shared/errors.ts';
import type { Guard } from '../../context.ts';
import type { Queryable, StatementOptions } from '../../store/db.ts';
import { type SpaceRow, selectSpace, selectSpaceGuard } from '../../store/spaces.ts';

/** Throws NOT_FOUND. Permissions are checked by the caller. */
export async function loadSpace(q: Queryable, spaceId: string, options: StatementOptions): Promise<SpaceRow> {
  return foundSpace(await selectSpace(q, spaceId, options), spaceId);
}

/** Has a space read behind a list of what is in it, and `judge` it. What is judged is as new as the list, or newer. */
export function foundSpaceGuard(spaceId: string, judge: (space: SpaceRow) => void): Guard {
  return selectSpaceGuard(spaceId, (space) => judge(foundSpace(space, spaceId)));
}

/** Throws NOT_FOUND. */
export function foundSpace<Row extends SpaceRow>(space: Row | undefined, spaceId: string): Row {
  if (space === undefined) throw notFound('Space', spaceId);
  return space;
}
