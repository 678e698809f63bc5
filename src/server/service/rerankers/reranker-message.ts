import { create } from '@bufbuild/protobuf';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import { type Reranker, RerankerSchema } from '../../../shared/gen/service/v1/reranker_pb.ts';
import type { RerankerRow } from '../../store/rerankers.ts';
import { targetMembers } from '../targets/target-members.ts';

export function rerankerMessage(row: RerankerRow): Reranker {
  return create(RerankerSchema, {
    rerankerId: row.id,
    ...targetMembers(row),
    providerType: ProviderType[row.providerType as keyof typeof ProviderType],
  });
}
