import { notFound } from '../../../shared/errors.ts';
import type { CallContext, Permission } from '../../context.ts';
import type { Queryable, StatementOptions } from '../../store/db.ts';
import { selectUser, type UserRow } from '../../store/users.ts';
import { callerOf, resolveOwner } from '../permission.ts';

/** Throws NOT_FOUND. */
export async function loadUser(q: Queryable, userId: string, options: StatementOptions): Promise<UserRow> {
  return foundUser(await selectUser(q, userId, options), userId);
}

/** Throws NOT_FOUND. */
export function foundUser(user: UserRow | undefined, userId: string): UserRow {
  if (user === undefined) throw notFound('User', userId);
  return user;
}

/**
 * The user that a field of the request names, the caller when it is left out. Another user must exist (NOT_FOUND) and
 * needs the `_ANY` form of the permission (PERMISSION_DENIED), checked in this order.
 */
export async function requestedUserId(
  q: Queryable,
  context: CallContext,
  permission: Permission,
  userId: string | undefined,
): Promise<string> {
  const isOther = userId !== undefined && userId !== callerOf(context).userId;
  if (isOther) await loadUser(q, userId, { signal: context.signal });
  return resolveOwner(context, permission, userId);
}
