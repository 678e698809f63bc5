import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { EmbedderSchema } from '../../shared/gen/service/v1/embedder_pb.ts';
import type { View } from '../render/records.ts';
import { enumText, labelsText, timeText } from '../render/values.ts';

export const embedderView: View<typeof EmbedderSchema> = {
  desc: EmbedderSchema,
  columns: [
    { header: 'ID', value: ({ embedderId }) => embedderId, whole: true },
    { header: 'NAME', value: ({ displayName }) => displayName },
    { header: 'PROVIDER', value: ({ providerType }) => enumText(ProviderTypeSchema, providerType), whole: true },
    { header: 'MODEL', value: ({ modelIdentifier }) => modelIdentifier },
    { header: 'DIM', value: ({ dimensionality }) => String(dimensionality), align: 'right', whole: true },
    { header: 'LABELS', value: ({ labels }) => labelsText(labels) },
  ],
  fields: [
    { header: 'id', value: ({ embedderId }) => embedderId },
    { header: 'name', value: ({ displayName }) => displayName },
    { header: 'description', value: ({ description }) => description },
    { header: 'provider', value: ({ providerType }) => enumText(ProviderTypeSchema, providerType) },
    { header: 'url', value: ({ endpointUrl, apiPath }) => `${endpointUrl}${apiPath}` },
    { header: 'model', value: ({ modelIdentifier }) => modelIdentifier },
    { header: 'dimensions', value: ({ dimensionality }) => String(dimensionality) },
    { header: 'labels', value: ({ labels }) => labelsText(labels) },
    { header: 'owner', value: ({ ownerId }) => ownerId },
    { header: 'created', value: ({ createdAt }) => timeText(createdAt) },
    { header: 'updated', value: ({ updatedAt }) => timeText(updatedAt) },
  ],
};
