import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import {
  type CreateUserRequest,
  type GetUserRequest,
  ListUsersResponseSchema,
} from '../../../shared/gen/service/v1/user_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { PagePosition } from '../../store/page.ts';
import { insertUser, selectUserByEmail, selectUsers, type UserRow } from '../../store/users.ts';
import type { Handlers } from '../handlers.ts';
import { openPage, type PageTokens } from '../page-token.ts';
import { callerOf, denied, hasAnyScope, requireMay } from '../permission.ts';
import { newId, notFound, written } from '../resource-ids.ts';
import { deleteUser } from './delete-user.ts';
import { loadUser } from './load-user.ts';
import { updateUser } from './update-user.ts';
import { userMessage } from './user-message.ts';
import { assignedRole } from './user-role.ts';

export interface UserDeps {
  db: Db;
  pageTokens: PageTokens;
}

export type UserHandlers = Pick<Handlers, 'createUser' | 'getUser' | 'listUsers' | 'updateUser' | 'deleteUser'>;

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

/** Whoever holds only the `_OWN` form sees a list of one. */
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
