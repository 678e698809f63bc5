import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { failedPrecondition, invalidFields, notFound } from '../../../shared/errors.ts';
import {
  type CreateUserRequest,
  type GetUserRequest,
  ListUsersResponseSchema,
  Role,
  type UpdateUserRequest,
  type User,
  UserSchema,
} from '../../../shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { PagePosition } from '../../store/list-query.ts';
import {
  deleteUserRow,
  insertUser,
  selectOwnedKinds,
  selectUserByEmail,
  selectUserForDelete,
  selectUserForUpdate,
  selectUsers,
  type UserRow,
  updateUserRow,
} from '../../store/users.ts';
import type { Handlers } from '../handlers.ts';
import { openPage, type PageTokens } from '../page-token.ts';
import { callerOf, denied, hasAnyScope, requireMay } from '../permission.ts';
import { newId, written } from '../resources.ts';
import { foundUser, loadUser } from './load-user.ts';

interface UserDeps {
  db: Db;
  pageTokens: PageTokens;
}

type UserHandlers = Pick<Handlers, 'createUser' | 'getUser' | 'listUsers' | 'updateUser' | 'deleteUser'>;

export function createUserHandlers({ db, pageTokens }: UserDeps): UserHandlers {
  return {
    createUser: async (request, context) => userMessage(await createUser(db, request, context)),

    async getUser(request, context) {
      const user = await findUser(db, request, context);
      requireMay(context, 'READ_USER', user.userId);
      return userMessage(user);
    },

    async listUsers(request, context) {
      const page = openPage(pageTokens, context, request, {});
      const rows = await visibleUsers(db, page, context);
      const { items, nextToken } = page.close(rows, (row) => [row.createdAt, row.userId]);
      return create(ListUsersResponseSchema, {
        users: items.map(userMessage),
        ...(nextToken === undefined ? {} : { nextToken }),
      });
    },

    updateUser: async (request, context) => userMessage(await updateUser(db, request, context)),

    async deleteUser({ userId }, context) {
      await deleteUser(db, userId, context);
      return create(EmptySchema);
    },
  };
}

async function createUser(db: Db, request: CreateUserRequest, context: CallContext): Promise<UserRow> {
  const role = assignedRole(request.role) ?? 'USER';
  if (!hasAnyScope(callerOf(context))) throw denied('CREATE_USER', 'ANY');
  const user = {
    userId: request.userId ?? newId(),
    email: request.email,
    displayName: request.displayName,
    username: request.username ?? null,
    role,
  };
  return written(await insertUser(db.main, user, { signal: context.signal }));
}

async function findUser(db: Db, request: GetUserRequest, context: CallContext): Promise<UserRow> {
  const { userId, email } = request;
  const options = { signal: context.signal };
  if (userId !== undefined || email === undefined) {
    return loadUser(db.main, userId ?? callerOf(context).userId, options);
  }
  const user = await selectUserByEmail(db.main, email, options);
  if (user === undefined) throw notFound('User', email);
  return user;
}

/** With only the `_OWN` form the list contains just the caller. */
async function visibleUsers(
  db: Db,
  page: { limit: number; after: PagePosition | undefined },
  context: CallContext,
): Promise<UserRow[]> {
  const caller = callerOf(context);
  const options = { signal: context.signal };
  if (hasAnyScope(caller)) return selectUsers(db.main, page, options);
  return page.after === undefined ? [await loadUser(db.main, caller.userId, options)] : [];
}

function userMessage(row: UserRow): User {
  return create(UserSchema, {
    userId: row.userId,
    email: row.email,
    displayName: row.displayName,
    ...(row.username === null ? {} : { username: row.username }),
    role: Role[row.role],
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
  });
}

/** Deletes a user with its keys. Throws FAILED_PRECONDITION for the root user and while the user owns anything. */
function deleteUser(db: Db, userId: string, context: CallContext): Promise<void> {
  return db.main.withTx(
    async (tx) => {
      // A concurrent call that creates a resource for the user holds this row, or waits for it and finds no user.
      const user = foundUser(await selectUserForDelete(tx, userId), userId);
      requireMay(context, 'DELETE_USER', userId);
      const resource = { kind: 'User', id: userId } as const;
      if (user.role === 'ROOT') throw failedPrecondition('The root user cannot be deleted', { resource });
      const owned = await selectOwnedKinds(tx, userId);
      if (owned.length > 0) {
        const details = `the user owns ${owned.join(', ')}`;
        throw failedPrecondition('The user still owns resources', { details, resource });
      }
      await deleteUserRow(tx, userId);
    },
    { signal: context.signal },
  );
}

function updateUser(db: Db, request: UpdateUserRequest, context: CallContext): Promise<UserRow> {
  const { userId, displayName, username } = request;
  const role = assignedRole(request.role);
  return db.main.withTx(
    async (tx) => {
      const user = foundUser(await selectUserForUpdate(tx, userId), userId);
      requireMay(context, 'UPDATE_USER', userId);
      if (role !== undefined && !hasAnyScope(callerOf(context))) throw denied('UPDATE_USER', 'ANY');
      if (role !== undefined && user.role === 'ROOT') {
        throw failedPrecondition('The role of the root user cannot be changed', {
          resource: { kind: 'User', id: userId },
        });
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

/** The role that a request gives a user; undefined when it names none. Throws INVALID_ARGUMENT for ROOT. */
function assignedRole(role: Role | undefined): 'ADMIN' | 'USER' | undefined {
  if (role === Role.ROOT) throw invalidFields([{ path: 'role', problem: 'ROOT cannot be assigned' }]);
  if (role === Role.ADMIN) return 'ADMIN';
  return role === Role.USER ? 'USER' : undefined;
}
