import { create } from '@bufbuild/protobuf';
import { type ApiKey, ApiKeySchema, ApiKeyStatus } from '../../../shared/gen/service/v1/api_key_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { ApiKeyRow } from '../../store/api-keys.ts';

export function apiKeyMessage(row: ApiKeyRow): ApiKey {
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
