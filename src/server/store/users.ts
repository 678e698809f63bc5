import type { RoleName } from '../../shared/identity.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { afterPosition, type Keyset, orderBy, type PagePosition, positionValues } from './list-query.ts';
import { statement } from './statement.ts';

export interface UserRow {
  userId: string;
  email: string;
  displayName: string;
  username: string | null;
  role: RoleName;
  createdAt: number;
  updatedAt: number;
}

type NewUser = Pick<UserRow, 'userId' | 'email' | 'displayName' | 'username' | 'role'>;
type UserContent = Pick<UserRow, 'userId' | 'displayName' | 'username' | 'role'>;

/** What a user can own, by table. Foreign keys to the owner prevent the deletion of a user who owns anything. */
const OWNED = { space: 'spaces', embedder: 'embedders', llm: 'LLMs', reranker: 'rerankers' } as const;

const COLUMNS = `user_id as "userId", email, display_name as "displayName", username, role,
  created_at as "createdAt", updated_at as "updatedAt"`;

const INSERT_TEXT = `insert into app_user (user_id, email, display_name, username, role, created_at, updated_at)
  values ($1, $2, $3, $4, $5, now(), now())`;

const INSERT = statement({ name: 'users.insert', purpose: 'Adds a user', text: `${INSERT_TEXT} returning ${COLUMNS}` });
const SELECT_ROOT = statement({
  name: 'users.select_root',
  purpose: 'Whether a root user exists',
  text: `select 1 from app_user where role = 'ROOT'`,
});
const INSERT_ROOT = statement({
  name: 'users.insert_root',
  purpose: 'Adds the root user, unless one exists',
  text: `${INSERT_TEXT} on conflict do nothing returning ${COLUMNS}`,
});
const SELECT = statement({
  name: 'users.select',
  purpose: 'A user by id',
  text: `select ${COLUMNS} from app_user where user_id = $1`,
});
const SELECT_BY_EMAIL = statement({
  name: 'users.select_by_email',
  purpose: 'A user by email address, ignoring case',
  text: `select ${COLUMNS} from app_user where lower(email) = lower($1)`,
});
const SELECT_FOR_UPDATE = statement({
  name: 'users.select_for_update',
  purpose: 'A user by id, locked for a change',
  text: `select ${COLUMNS} from app_user where user_id = $1 for no key update`,
});
const SELECT_FOR_DELETE = statement({
  name: 'users.select_for_delete',
  purpose: 'A user by id, locked for deletion: nothing new can be owned by it either',
  text: `select ${COLUMNS} from app_user where user_id = $1 for update`,
});
const SELECT_OWNED = statement({
  name: 'users.select_owned',
  purpose: 'The kinds of resources that a user owns',
  text: Object.entries(OWNED)
    .map(([table, kind]) => `select '${kind}' as kind where exists (select from ${table} where owner_id = $1)`)
    .join(' union all '),
});
const UPDATE = statement({
  name: 'users.update',
  purpose: 'Changes a user',
  text: `update app_user set display_name = $2, username = $3, role = $4, updated_at = now()
    where user_id = $1 returning ${COLUMNS}`,
});
const DELETE = statement({
  name: 'users.delete',
  purpose: 'Removes a user with its API keys',
  text: 'delete from app_user where user_id = $1',
});

const NEWEST_FIRST: Keyset = {
  columns: [
    ['created_at', 'timestamptz'],
    ['user_id', 'uuid'],
  ],
  order: 'desc',
};
const SELECT_FIRST_PAGE = statement({
  name: 'users.select_first_page',
  purpose: 'The newest users',
  text: `select ${COLUMNS} from app_user ${orderBy(NEWEST_FIRST)} limit $1`,
});
const SELECT_NEXT_PAGE = statement({
  name: 'users.select_next_page',
  purpose: 'The users after a position in the list',
  text: `select ${COLUMNS} from app_user where ${afterPosition(NEWEST_FIRST, 2)} ${orderBy(NEWEST_FIRST)} limit $1`,
});

const valuesOf = (user: NewUser) => [user.userId, user.email, user.displayName, user.username, user.role];

/** Throws ALREADY_EXISTS for a duplicate id, email address or username. */
export async function insertUser(
  q: Queryable,
  user: NewUser,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(INSERT, valuesOf(user), options);
  return row;
}

/**
 * Undefined when a root user exists already. Of several concurrent transactions, the later ones wait for the first to end:
 * exactly one transaction that commits has inserted the user.
 */
export async function insertRootUser(
  q: Queryable,
  user: Omit<NewUser, 'role'>,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(INSERT_ROOT, valuesOf({ ...user, role: 'ROOT' }), options);
  return row;
}

/** Whether the system is initialized. */
export async function hasRootUser(q: Queryable, options?: StatementOptions): Promise<boolean> {
  return (await q.query(SELECT_ROOT, [], options)).length > 0;
}

export async function selectUser(
  q: Queryable,
  userId: string,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(SELECT, [userId], options);
  return row;
}

/** Locks the user against other changes until the transaction ends. */
export async function selectUserForUpdate(
  q: Queryable,
  userId: string,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(SELECT_FOR_UPDATE, [userId], options);
  return row;
}

/** Locks the user against other changes, and against new resources that it would own, until the transaction ends. */
export async function selectUserForDelete(
  q: Queryable,
  userId: string,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(SELECT_FOR_DELETE, [userId], options);
  return row;
}

/** The kinds of resources that the user owns, in the plural: `['spaces']`. */
export async function selectOwnedKinds(q: Queryable, userId: string, options?: StatementOptions): Promise<string[]> {
  const rows = await q.query<{ kind: string }>(SELECT_OWNED, [userId], options);
  return rows.map(({ kind }) => kind);
}

/** Throws ALREADY_EXISTS for a duplicate username. */
export async function updateUserRow(
  q: Queryable,
  { userId, displayName, username, role }: UserContent,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(UPDATE, [userId, displayName, username, role], options);
  return row;
}

/** Deletes a user with its API keys. Throws FAILED_PRECONDITION while it owns a resource. */
export async function deleteUserRow(q: Queryable, userId: string, options?: StatementOptions): Promise<void> {
  await q.execute(DELETE, [userId], options);
}

/** Ignores case. */
export async function selectUserByEmail(
  q: Queryable,
  email: string,
  options?: StatementOptions,
): Promise<UserRow | undefined> {
  const [row] = await q.query<UserRow>(SELECT_BY_EMAIL, [email], options);
  return row;
}

/** At most `limit` users, newest first, after a position of `[createdAt, userId]`. */
export function selectUsers(
  q: Queryable,
  page: { limit: number; after: PagePosition | undefined },
  options?: StatementOptions,
): Promise<UserRow[]> {
  if (page.after === undefined) return q.query<UserRow>(SELECT_FIRST_PAGE, [page.limit], options);
  const values = [page.limit, ...positionValues(NEWEST_FIRST, page.after)];
  return q.query<UserRow>(SELECT_NEXT_PAGE, values, options);
}
