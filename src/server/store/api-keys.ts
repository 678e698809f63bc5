import type { RoleName } from '../../shared/identity.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { referringTo } from './errors.ts';
import { digest, statement } from './statement.ts';

type ApiKeyStatusName = 'ACTIVE' | 'INACTIVE';

export interface ApiKeyRow {
  apiKeyId: string;
  userId: string;
  keyPrefix: string;
  status: ApiKeyStatusName;
  labels: Record<string, string>;
  /** Null when the key was created without restrictions. */
  readOnly: boolean | null;
  /** Null for every space. */
  spaceIds: string[] | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
  updatedAt: number;
  createdById: string;
  updatedById: string;
}

interface NewApiKey {
  apiKeyId: string;
  userId: string;
  keyHash: Buffer;
  keyPrefix: string;
  labels: Record<string, string>;
  readOnly: boolean | null;
  spaceIds: readonly string[] | null;
  /** Epoch milliseconds. */
  expiresAt: number | null;
  createdById: string;
}

/** What authentication needs of a key that is active and not expired. */
interface UsableKeyRow {
  apiKeyId: string;
  userId: string;
  role: RoleName;
  readOnly: boolean | null;
  spaceIds: string[] | null;
  /** Another one after every change of what this row says. */
  version: string;
  /** The recorded last use is at least a minute ago. */
  isUseDue: boolean;
}

const COLUMNS = `api_key_id as "apiKeyId", user_id as "userId", key_prefix as "keyPrefix", status, labels,
  read_only as "readOnly", space_ids as "spaceIds", expires_at as "expiresAt", last_used_at as "lastUsedAt",
  created_at as "createdAt", updated_at as "updatedAt", created_by_id as "createdById", updated_by_id as "updatedById"`;

const INSERT = statement({
  name: 'api_keys.insert',
  purpose: 'Adds an API key',
  text: `insert into api_key (api_key_id, user_id, key_hash, key_prefix, status, labels, read_only, space_ids,
      expires_at, created_at, updated_at, created_by_id, updated_by_id)
    values ($1, $2, $3, $4, 'ACTIVE', $5::jsonb, $6, $7::uuid[], $8, now(), now(), $9, $9)
    returning ${COLUMNS}`,
});
const SELECT = statement({
  name: 'api_keys.select',
  purpose: 'An API key by id',
  text: `select ${COLUMNS} from api_key where api_key_id = $1`,
});
const SELECT_FOR_UPDATE = statement({
  name: 'api_keys.select_for_update',
  purpose: 'An API key by id, locked for a change',
  text: `select ${COLUMNS} from api_key where api_key_id = $1 for no key update`,
});
const SELECT_OF_USER = statement({
  name: 'api_keys.select_of_user',
  purpose: 'The API keys of a user, newest first',
  text: `select ${COLUMNS} from api_key where user_id = $1 order by created_at desc, api_key_id desc`,
});
const UPDATE = statement({
  name: 'api_keys.update',
  purpose: 'Changes the status and the labels of an API key',
  text: `update api_key set status = $2, labels = $3::jsonb, updated_at = now(), updated_by_id = $4
    where api_key_id = $1 returning ${COLUMNS}`,
});
const DELETE = statement({
  name: 'api_keys.delete',
  purpose: 'Removes an API key',
  text: 'delete from api_key where api_key_id = $1',
});

/**
 * What a call learns of a key `k` of a user `u`: a digest of all that decides what the key may do. Whatever changes it, in
 * whichever way, changes the digest with it.
 */
const KEY_VERSION = digest('row(k.api_key_id, k.key_hash, k.user_id, u.role, k.read_only, k.space_ids)::text');
const IS_USE_DUE = `coalesce(k.last_used_at <= now() - interval '1 minute', true)`;
/** The clock of the database decides, so that all servers agree on the moment at which a key expires. */
const IS_USABLE = `k.status = 'ACTIVE' and coalesce(k.expires_at > now(), true)`;

/** Subquery for the version of an API key while it may be used, and for whether its use is to be recorded. */
export const usableKey = (apiKeyId: string) => `select ${KEY_VERSION} as version, ${IS_USE_DUE} as "isUseDue"
    from api_key k join app_user u on u.user_id = k.user_id where k.api_key_id = ${apiKeyId} and ${IS_USABLE}`;

const SELECT_USABLE = statement({
  name: 'api_keys.select_usable',
  purpose: 'An active and unexpired API key by its hash, with the role of its user',
  text: `select k.api_key_id as "apiKeyId", k.user_id as "userId", u.role, k.read_only as "readOnly",
      k.space_ids as "spaceIds", ${KEY_VERSION} as version, ${IS_USE_DUE} as "isUseDue"
    from api_key k join app_user u on u.user_id = k.user_id
    where k.key_hash in ($1, $2) and ${IS_USABLE}`,
});
const RECORD_USE = statement({
  name: 'api_keys.record_use',
  purpose: 'Records the last use of an API key, at most once a minute',
  text: `update api_key set last_used_at = now()
    where api_key_id = $1 and coalesce(last_used_at <= now() - interval '1 minute', true)`,
});

/** Throws ALREADY_EXISTS for a duplicate id and NOT_FOUND when the user was deleted. */
export async function insertApiKey(
  q: Queryable,
  key: NewApiKey,
  options?: StatementOptions,
): Promise<ApiKeyRow | undefined> {
  const values = [
    key.apiKeyId,
    key.userId,
    key.keyHash,
    key.keyPrefix,
    JSON.stringify(key.labels),
    key.readOnly,
    key.spaceIds,
    key.expiresAt === null ? null : new Date(key.expiresAt),
    key.createdById,
  ];
  const user = { kind: 'User', id: key.userId } as const;
  const [row] = await referringTo(user, q.query<ApiKeyRow>(INSERT, values, options));
  return row;
}

export async function selectApiKey(
  q: Queryable,
  id: string,
  options?: StatementOptions,
): Promise<ApiKeyRow | undefined> {
  const [row] = await q.query<ApiKeyRow>(SELECT, [id], options);
  return row;
}

/** Locks the key until the transaction ends. */
export async function selectApiKeyForUpdate(
  q: Queryable,
  id: string,
  options?: StatementOptions,
): Promise<ApiKeyRow | undefined> {
  const [row] = await q.query<ApiKeyRow>(SELECT_FOR_UPDATE, [id], options);
  return row;
}

/** Newest first. */
export function selectApiKeysOfUser(q: Queryable, userId: string, options?: StatementOptions): Promise<ApiKeyRow[]> {
  return q.query<ApiKeyRow>(SELECT_OF_USER, [userId], options);
}

export async function updateApiKeyRow(
  q: Queryable,
  key: { apiKeyId: string; status: ApiKeyStatusName; labels: Record<string, string>; updatedById: string },
  options?: StatementOptions,
): Promise<ApiKeyRow | undefined> {
  const values = [key.apiKeyId, key.status, JSON.stringify(key.labels), key.updatedById];
  const [row] = await q.query<ApiKeyRow>(UPDATE, values, options);
  return row;
}

/** False when no key has this id. */
export async function deleteApiKeyRow(q: Queryable, apiKeyId: string, options?: StatementOptions): Promise<boolean> {
  return (await q.execute(DELETE, [apiKeyId], options)) > 0;
}

/** The ACTIVE and unexpired key with one of these two hashes. */
export async function selectUsableKey(
  q: Queryable,
  hashes: readonly [Buffer, Buffer],
  options?: StatementOptions,
): Promise<UsableKeyRow | undefined> {
  const [row] = await q.query<UsableKeyRow>(SELECT_USABLE, hashes, options);
  return row;
}

/** Records the time of use unless another server has done so within the last minute. */
export async function recordKeyUse(q: Queryable, apiKeyId: string, options?: StatementOptions): Promise<void> {
  await q.execute(RECORD_USE, [apiKeyId], options);
}
