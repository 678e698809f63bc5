import { create } from '@bufbuild/protobuf';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import { DistributionType, type Embedder, EmbedderSchema } from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { EmbedderRow } from '../../store/embedders.ts';
import { targetMembers } from '../targets/target-members.ts';

export function embedderMessage(row: EmbedderRow): Embedder {
  return create(EmbedderSchema, {
    embedderId: row.id,
    ...targetMembers(row),
    providerType: ProviderType[row.providerType as keyof typeof ProviderType],
    dimensionality: row.dimensionality,
    distributionType: DistributionType[row.distributionType as keyof typeof DistributionType],
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
  });
}
