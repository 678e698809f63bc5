import { type ApiKey, ApiKeySchema, ApiKeyStatusSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import { enumText, idColumn, labelsText, timeColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';

export interface ApiKeyViewOptions {
  /** Names of spaces by their ids, as far as they are known. */
  names?: ReadonlyMap<string, string>;
  /** The beginnings of the ids lead to these keys: they are the caller's own. */
  hasShortIds?: boolean;
}

export function apiKeyView({
  names = new Map(),
  hasShortIds = true,
}: ApiKeyViewOptions = {}): View<typeof ApiKeySchema> {
  return {
    desc: ApiKeySchema,
    columns: [
      { ...idColumn<ApiKey>('ID', ({ apiKeyId }) => apiKeyId), isId: hasShortIds },
      { header: 'PREFIX', value: ({ keyPrefix }) => keyPrefix, whole: true, isTitle: true },
      { header: 'STATUS', value: ({ status }) => enumText(ApiKeyStatusSchema, status), whole: true },
      { header: 'LABELS', value: ({ labels }) => labelsText(labels), spare: true },
      { ...timeColumn<ApiKey>('LAST USED', ({ lastUsedAt }) => lastUsedAt), spare: true },
      timeColumn('EXPIRES', ({ expiresAt }) => expiresAt),
      { header: 'ACCESS', value: (key) => accessText(key, names) },
    ],
    fields: [
      { header: 'id', value: ({ apiKeyId }) => apiKeyId },
      { header: 'prefix', value: ({ keyPrefix }) => keyPrefix },
      { header: 'status', value: ({ status }) => enumText(ApiKeyStatusSchema, status) },
      { header: 'user', value: ({ userId }) => userId },
      { header: 'labels', value: ({ labels }) => labelsText(labels) },
      { header: 'access', value: ({ restrictions }) => (restrictions?.readOnly ? 'read-only' : 'full') },
      { header: 'spaces', value: ({ restrictions }) => restrictions?.spaceIds.join(', ') ?? '' },
      timeColumn('expires', ({ expiresAt }) => expiresAt),
      timeColumn('last used', ({ lastUsedAt }) => lastUsedAt),
      timeColumn('created', ({ createdAt }) => createdAt),
      timeColumn('updated', ({ updatedAt }) => updatedAt),
    ],
  };
}

/** `full`, `read-only`, or in which spaces: `house, garden`, `read-only in house`. */
function accessText({ restrictions }: ApiKey, names: ReadonlyMap<string, string>): string {
  const { readOnly = false, spaceIds = [] } = restrictions ?? {};
  const spaces = spaceIds.map((id) => names.get(id) ?? id).join(', ');
  if (spaces === '') return readOnly ? 'read-only' : 'full';
  return readOnly ? `read-only in ${spaces}` : spaces;
}
