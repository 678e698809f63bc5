import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import {
  type CreateApiKeyRequest,
  type CreateApiKeyResponse,
  CreateApiKeyResponseSchema,
} from '../../../shared/gen/service/v1/api_key_pb.ts';
import { timestampToMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import { insertApiKey } from '../../store/api-keys.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { selectSpaces } from '../../store/spaces.ts';
import { callerOf, requireInSpace } from '../permission.ts';
import { newId, notFound, written } from '../resource-ids.ts';
import { resolveUser } from '../users/load-user.ts';
import { apiKeyMessage } from './api-key-message.ts';
import { generateRawKey, keyHash, keyPrefix } from './raw-key.ts';

/** Makes a key. Its raw value leaves in this response and is kept nowhere. */
export async function createApiKey(
  deps: { db: Db; fips: boolean },
  request: CreateApiKeyRequest,
  context: CallContext,
): Promise<CreateApiKeyResponse> {
  const expiresAt = request.expiresAt === undefined ? null : timestampToMs(request.expiresAt);
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw invalidFields([{ path: 'expiresAt', problem: 'must be in the future' }]);
  }
  const spaceIds = [...new Set(request.restrictions?.spaceIds ?? [])];
  const userId = await resolveUser(deps.db.main, context, 'CREATE_APIKEY', request.userId);
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

/** A key may be bound to spaces that its maker can read: NOT_FOUND first, then PERMISSION_DENIED. */
async function requireReadable(q: Queryable, spaceIds: readonly string[], context: CallContext): Promise<void> {
  if (spaceIds.length === 0) return;
  const spaces = await selectSpaces(q, spaceIds, { signal: context.signal });
  const missing = spaceIds.find((id) => !spaces.some(({ spaceId }) => spaceId === id));
  if (missing !== undefined) throw notFound('Space', missing);
  for (const space of spaces) requireInSpace(context, 'READ_SPACE', space);
}
