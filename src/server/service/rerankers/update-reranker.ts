import { invalidFields } from '../../../shared/errors.ts';
import { type UpdateRerankerRequest, UpdateRerankerRequestSchema } from '../../../shared/gen/service/v1/reranker_pb.ts';
import type { CallContext } from '../../context.ts';
import type { RerankerRow } from '../../store/rerankers.ts';
import { hasChanges } from '../targets/has-changes.ts';
import { addressViolations } from '../targets/target-fields.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { updateTarget } from '../targets/update-target.ts';
import { rerankerKind } from './reranker-kind.ts';

export async function updateReranker(
  deps: TargetDeps,
  request: UpdateRerankerRequest,
  context: CallContext,
): Promise<RerankerRow> {
  const violations = addressViolations(request, deps.policy);
  if (violations.length > 0) throw invalidFields(violations);
  const change = {
    id: request.rerankerId,
    request,
    hasChanges: hasChanges(UpdateRerankerRequestSchema, request),
    ownAfter: () => ({}),
  };
  return updateTarget(deps, rerankerKind, change, context);
}
