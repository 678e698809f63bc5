import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { DistributionTypeSchema, type Embedder, EmbedderSchema } from '../../shared/gen/service/v1/embedder_pb.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { targetParts } from './target.ts';

export const embedderView: View<typeof EmbedderSchema> = {
  desc: EmbedderSchema,
  ...targetParts<Embedder>({
    id: ({ embedderId }) => embedderId,
    provider: ({ providerType }) => enumText(ProviderTypeSchema, providerType),
    columns: [{ header: 'DIM', value: ({ dimensionality }) => String(dimensionality), align: 'right', whole: true }],
    fields: [
      { header: 'dimensions', value: ({ dimensionality }) => String(dimensionality) },
      { header: 'vectors', value: ({ distributionType }) => enumText(DistributionTypeSchema, distributionType) },
      {
        header: 'longest input',
        value: ({ maxSequenceLength }) => (maxSequenceLength === undefined ? '' : `${maxSequenceLength} tokens`),
      },
    ],
  }),
};
