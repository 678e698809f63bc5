import { notFound } from '../../../shared/errors.ts';
import type { Queryable, StatementOptions } from '../../store/db.ts';
import { type SpaceRow, selectSpace } from '../../store/spaces.ts';

/** Throws NOT_FOUND. Permissions are checked by the caller. */
export async function loadSpace(q: Queryable, spaceId: string, options: StatementOptions): Promise<SpaceRow> {
  return foundSpace(await selectSpace(q, spaceId, options), spaceId);
}

/** Throws NOT_FOUND. */
export function foundSpace<Row extends SpaceRow>(space: Row | undefined, spaceId: string): Row {
  if (space === undefined) throw notFound('Space', spaceId);
  return space;
}
