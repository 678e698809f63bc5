import { invalidFields } from '../../../shared/errors.ts';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CreateRerankerRequest } from '../../../shared/gen/service/v1/reranker_pb.ts';
import type { CallContext } from '../../context.ts';
import { RERANKER_PROVIDERS } from '../../providers/rerankers/types.ts';
import type { RerankerRow } from '../../store/rerankers.ts';
import { createTarget } from '../targets/create-target.ts';
import { addressViolations } from '../targets/target-fields.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { rerankerKind } from './reranker-kind.ts';

export async function createReranker(
  deps: TargetDeps,
  request: CreateRerankerRequest,
  context: CallContext,
): Promise<RerankerRow> {
  const provider = RERANKER_PROVIDERS.find((name) => ProviderType[name] === request.providerType);
  const violations = addressViolations(request, deps.policy);
  if (provider === undefined) {
    violations.unshift({ path: 'providerType', problem: `must be one of ${RERANKER_PROVIDERS.join(', ')}` });
  }
  if (violations.length > 0 || provider === undefined) throw invalidFields(violations);
  const creation = { request, id: request.rerankerId, providerType: provider, own: {} };
  return createTarget(deps, rerankerKind, creation, context);
}
