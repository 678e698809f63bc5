import { ApiKeySchema, ApiKeyStatusSchema, type KeyRestrictions } from '../../shared/gen/service/v1/api_key_pb.ts';
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
    { header: 'restrictions', value: ({ restrictions }) => restrictionsText(restrictions) },
    { header: 'expires', value: ({ expiresAt }) => timeText(expiresAt) },
    { header: 'last used', value: ({ lastUsedAt }) => timeText(lastUsedAt) },
    { header: 'created', value: ({ createdAt }) => timeText(createdAt) },
    { header: 'updated', value: ({ updatedAt }) => timeText(updatedAt) },
  ],
};

function restrictionsText(restrictions: KeyRestrictions | undefined): string {
  if (restrictions === undefined) return '';
  const parts = restrictions.readOnly ? ['read only'] : [];
  if (restrictions.spaceIds.length > 0) parts.push(`spaces ${restrictions.spaceIds.join(' ')}`);
  return parts.join('; ');
}
