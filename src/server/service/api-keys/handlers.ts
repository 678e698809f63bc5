import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { invalidFields, notFound } from '../../../shared/errors.ts';
import {
  type ApiKey,
  ApiKeySchema,
  ApiKeyStatus,
  type CreateApiKeyRequest,
  type CreateApiKeyResponse,
  CreateApiKeyResponseSchema,
  ListApiKeysResponseSchema,
  type UpdateApiKeyRequest,
} from '../../../shared/gen/service/v1/api_key_pb.ts';
import { timestampFromMs, timestampToMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import {
  type ApiKeyRow,
  deleteApiKeyRow,
  insertApiKey,
  selectApiKey,
  selectApiKeyForUpdate,
  selectApiKeysOfUser,
  updateApiKeyRow,
} from '../../store/api-keys.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { selectSpaces } from '../../store/spaces.ts';
import type { Handlers } from '../handlers.ts';
import { callerOf, requireInSpace, requireMay } from '../permission.ts';
import { newId, updatedLabels, written } from '../resources.ts';
import { requestedUserId } from '../users/load-user.ts';
import { generateRawKey, keyHash, keyPrefix } from './raw-key.ts';

const MAX_KEY_LABELS = 10;

interface ApiKeyDeps {
  db: Db;
  /** New keys are hashed with SHA3-256. */
  fips: boolean;
}

type ApiKeyHandlers = Pick<Handlers, 'createApiKey' | 'getApiKey' | 'listApiKeys' | 'updateApiKey' | 'deleteApiKey'>;

export function createApiKeyHandlers(deps: ApiKeyDeps): ApiKeyHandlers {
  const { db } = deps;
  return {
    createApiKey: (request, context) => createApiKey(deps, request, context),

    async getApiKey({ apiKeyId }, context) {
      const key = found(await selectApiKey(db.main, apiKeyId, { signal: context.signal }), apiKeyId);
      requireMay(context, 'READ_APIKEY', key.userId);
      return apiKeyMessage(key);
    },

    async listApiKeys(request, context) {
      const userId = await requestedUserId(db.main, context, 'LIST_APIKEY', request.userId);
      const keys = await selectApiKeysOfUser(db.main, userId, { signal: context.signal });
      return create(ListApiKeysResponseSchema, { keys: keys.map(apiKeyMessage) });
    },

    updateApiKey: async (request, context) => apiKeyMessage(await updateApiKey(db, request, context)),

    async deleteApiKey({ apiKeyId }, context) {
      const options = { signal: context.signal };
      const key = found(await selectApiKey(db.main, apiKeyId, options), apiKeyId);
      requireMay(context, 'DELETE_APIKEY', key.userId);
      if (!(await deleteApiKeyRow(db.main, apiKeyId, options))) throw notFound('API key', apiKeyId);
      return create(EmptySchema);
    },
  };
}

function updateApiKey(db: Db, request: UpdateApiKeyRequest, context: CallContext): Promise<ApiKeyRow> {
  return db.main.withTx(
    async (tx) => {
      const key = found(await selectApiKeyForUpdate(tx, request.apiKeyId), request.apiKeyId);
      requireMay(context, 'UPDATE_APIKEY', key.userId);
      const status = statusOf(request.status);
      if (status === undefined && request.labelUpdate.case === undefined) return key;
      const row = await updateApiKeyRow(tx, {
        apiKeyId: key.apiKeyId,
        status: status ?? key.status,
        labels: updatedLabels(key.labels, request.labelUpdate, MAX_KEY_LABELS),
        updatedById: callerOf(context).userId,
      });
      return written(row);
    },
    { signal: context.signal },
  );
}

/** Undefined when the request leaves the status as it is. */
function statusOf(status: ApiKeyStatus | undefined): ApiKeyRow['status'] | undefined {
  if (status === ApiKeyStatus.ACTIVE) return 'ACTIVE';
  return status === ApiKeyStatus.INACTIVE ? 'INACTIVE' : undefined;
}

function found(key: ApiKeyRow | undefined, apiKeyId: string): ApiKeyRow {
  if (key === undefined) throw notFound('API key', apiKeyId);
  return key;
}

/** Creates a key. Its raw value is in this response only and is not stored. */
async function createApiKey(
  deps: { db: Db; fips: boolean },
  request: CreateApiKeyRequest,
  context: CallContext,
): Promise<CreateApiKeyResponse> {
  const expiresAt = request.expiresAt === undefined ? null : timestampToMs(request.expiresAt);
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw invalidFields([{ path: 'expiresAt', problem: 'must be in the future' }]);
  }
  const spaceIds = [...new Set(request.restrictions?.spaceIds ?? [])];
  const userId = await requestedUserId(deps.db.main, context, 'CREATE_APIKEY', request.userId);
  await requireReadable(deps.db.main, spaceIds, context);
  const rawApiKey = generateRawKey();
  const row = await insertApiKey(
    deps.db.main,
    {
      apiKeyId: request.apiKeyId ?? newId(),
      userId,
      keyHash: keyHash(rawApiKey, deps.fips),
      keyPrefix: keyPrefix(rawApiKey),
      labels: request.labels,
      readOnly: request.restrictions?.readOnly ?? null,
      spaceIds: spaceIds.length === 0 ? null : spaceIds,
      expiresAt,
      createdById: callerOf(context).userId,
    },
    { signal: context.signal },
  );
  return create(CreateApiKeyResponseSchema, { apiKeyMetadata: apiKeyMessage(written(row)), rawApiKey });
}

/** A key may be bound to spaces that its creator can read: NOT_FOUND first, then PERMISSION_DENIED. */
async function requireReadable(q: Queryable, spaceIds: readonly string[], context: CallContext): Promise<void> {
  if (spaceIds.length === 0) return;
  const spaces = await selectSpaces(q, spaceIds, { signal: context.signal });
  const missing = spaceIds.find((id) => !spaces.some(({ spaceId }) => spaceId === id));
  if (missing !== undefined) throw notFound('Space', missing);
  for (const space of spaces) requireInSpace(context, 'READ_SPACE', space);
}

function apiKeyMessage(row: ApiKeyRow): ApiKey {
  // `{}` restricts nothing, and neither does a key that may write.
  const isRestricted = row.readOnly === true || row.spaceIds !== null;
  return create(ApiKeySchema, {
    apiKeyId: row.apiKeyId,
    userId: row.userId,
    keyPrefix: row.keyPrefix,
    status: ApiKeyStatus[row.status],
    labels: row.labels,
    ...(isRestricted ? { restrictions: { readOnly: row.readOnly === true, spaceIds: row.spaceIds ?? [] } } : {}),
    ...(row.expiresAt === null ? {} : { expiresAt: timestampFromMs(row.expiresAt) }),
    ...(row.lastUsedAt === null ? {} : { lastUsedAt: timestampFromMs(row.lastUsedAt) }),
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  });
}
