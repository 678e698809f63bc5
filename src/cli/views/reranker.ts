import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { type Reranker, RerankerSchema } from '../../shared/gen/service/v1/reranker_pb.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { targetParts } from './target.ts';

export const rerankerView: View<typeof RerankerSchema> = {
  desc: RerankerSchema,
  ...targetParts<Reranker>({
    id: ({ rerankerId }) => rerankerId,
    provider: ({ providerType }) => enumText(ProviderTypeSchema, providerType),
  }),
};
