import { ServiceError } from '../../../shared/errors.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { deleteUserRow, selectOwnedKinds, selectUserForDelete } from '../../store/users.ts';
import { requireMay } from '../permission.ts';
import { foundUser } from './load-user.ts';

/** Deletes a user with its keys. Throws FAILED_PRECONDITION for the root user and while the user owns anything. */
export function deleteUser(db: Db, userId: string, context: CallContext): Promise<void> {
  return db.main.withTx(
    async (tx) => {
      // Whoever makes something for the user at this moment holds the row, or waits for it and finds the user gone.
      const user = foundUser(await selectUserForDelete(tx, userId), userId);
      requireMay(context, 'DELETE_USER', userId);
      if (user.role === 'ROOT') throw new ServiceError('FAILED_PRECONDITION', 'The root user cannot be deleted');
      const owned = await selectOwnedKinds(tx, userId);
      if (owned.length > 0) {
        const details = `the user owns ${owned.join(', ')}`;
        throw new ServiceError('FAILED_PRECONDITION', 'The user still owns resources', { details });
      }
      await deleteUserRow(tx, userId);
    },
    { signal: context.signal },
  );
}
