import { ApiKeySchema, ApiKeyStatusSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import type { View } from '../render/records.ts';
import { enumText, labelsText, timeText } from '../render/values.ts';

export const apiKeyView: View<typeof ApiKeySchema> = {
  desc: ApiKeySchema,
  columns: [
    { header: 'ID', value: ({ apiKeyId }) => apiKeyId, whole: true },
    { header: 'PREFIX', value: ({ keyPrefix }) => keyPrefix, whole: true },
    { header: 'STATUS', value: ({ status }) => enumText(ApiKeyStatusSchema, status), whole: true },
    { header: 'LABELS', value: ({ labels }) => labelsText(labels) },
    { header: 'LAST USED', value: ({ lastUsedAt }) => timeText(lastUsedAt), whole: true },
    { header: 'EXPIRES', value: ({ expiresAt }) => timeText(expiresAt), whole: true },
  ],
  fields: [
    { header: 'id', value: ({ apiKeyId }) => apiKeyId },
    { header: 'prefix', value: ({ keyPrefix }) => keyPrefix },
    { header: 'status', value: ({ status }) => enumText(ApiKeyStatusSchema, status) },
    { header: 'user', value: ({ userId }) => userId },
    { header: 'labels', value: ({ labels }) => labelsText(labels) },
    { header: 'access', value: ({ restrictions }) => (restrictions?.readOnly ? 'read only' : '') },
    { header: 'spaces', value: ({ restrictions }) => restrictions?.spaceIds.join(', ') ?? '' },
    { header: 'expires', value: ({ expiresAt }) => timeText(expiresAt) },
    { header: 'last used', value: ({ lastUsedAt }) => timeText(lastUsedAt) },
    { header: 'created', value: ({ createdAt }) => timeText(createdAt) },
    { header: 'updated', value: ({ updatedAt }) => timeText(updatedAt) },
  ],
};
