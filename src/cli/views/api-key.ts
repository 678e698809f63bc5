import { ApiKeySchema, ApiKeyStatusSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import { idColumn, timeColumn } from '../render/columns.ts';
import type { View } from '../render/records.ts';
import { enumText, labelsText } from '../render/values.ts';

export const apiKeyView: View<typeof ApiKeySchema> = {
  desc: ApiKeySchema,
  columns: [
    idColumn('ID', ({ apiKeyId }) => apiKeyId),
    { header: 'PREFIX', value: ({ keyPrefix }) => keyPrefix, whole: true, isTitle: true },
    { header: 'STATUS', value: ({ status }) => enumText(ApiKeyStatusSchema, status), whole: true },
    { header: 'LABELS', value: ({ labels }) => labelsText(labels) },
    timeColumn('LAST USED', ({ lastUsedAt }) => lastUsedAt),
    timeColumn('EXPIRES', ({ expiresAt }) => expiresAt),
  ],
  fields: [
    { header: 'id', value: ({ apiKeyId }) => apiKeyId },
    { header: 'prefix', value: ({ keyPrefix }) => keyPrefix },
    { header: 'status', value: ({ status }) => enumText(ApiKeyStatusSchema, status) },
    { header: 'user', value: ({ userId }) => userId },
    { header: 'labels', value: ({ labels }) => labelsText(labels) },
    { header: 'access', value: ({ restrictions }) => (restrictions?.readOnly ? 'read only' : '') },
    { header: 'spaces', value: ({ restrictions }) => restrictions?.spaceIds.join(', ') ?? '' },
    timeColumn('expires', ({ expiresAt }) => expiresAt),
    timeColumn('last used', ({ lastUsedAt }) => lastUsedAt),
    timeColumn('created', ({ createdAt }) => createdAt),
    timeColumn('updated', ({ updatedAt }) => updatedAt),
  ],
};
