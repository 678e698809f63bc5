import { ServiceError } from '../../../shared/errors.ts';
import type { UpdateUserRequest } from '../../../shared/gen/service/v1/user_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { selectUserForUpdate, type UserRow, updateUserRow } from '../../store/users.ts';
import { callerOf, denied, hasAnyScope, requireMay } from '../permission.ts';
import { written } from '../resource-ids.ts';
import { foundUser } from './load-user.ts';
import { assignedRole } from './user-role.ts';

export function updateUser(db: Db, request: UpdateUserRequest, context: CallContext): Promise<UserRow> {
  const { userId, displayName, username } = request;
  const role = assignedRole(request.role);
  return db.main.withTx(
    async (tx) => {
      const user = foundUser(await selectUserForUpdate(tx, userId), userId);
      requireMay(context, 'UPDATE_USER', userId);
      if (role !== undefined && !hasAnyScope(callerOf(context))) throw denied('UPDATE_USER', 'ANY');
      if (role !== undefined && user.role === 'ROOT') {
        throw new ServiceError('FAILED_PRECONDITION', 'The role of the root user cannot be changed');
      }
      if (displayName === undefined && username === undefined && role === undefined) return user;
      const content = {
        userId,
        displayName: displayName ?? user.displayName,
        username: username ?? user.username,
        role: role ?? user.role,
      };
      return written(await updateUserRow(tx, content));
    },
    { signal: context.signal },
  );
}
