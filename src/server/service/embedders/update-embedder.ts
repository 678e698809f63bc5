import { invalidFields, ServiceError } from '../../../shared/errors.ts';
import {
  DistributionType,
  type UpdateEmbedderRequest,
  UpdateEmbedderRequestSchema,
} from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Queryable } from '../../store/db.ts';
import { type EmbedderRow, isEmbedderUsed } from '../../store/embedders.ts';
import { createVectorTable, dropVectorTable } from '../../store/vector-tables.ts';
import { hasChanges } from '../targets/has-changes.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { updateTarget } from '../targets/update-target.ts';
import { sparseUnimplemented } from './create-embedder.ts';
import { embedderViolations, generalViolations } from './embedder-fields.ts';
import { embedderKind } from './embedder-kind.ts';

export async function updateEmbedder(
  deps: TargetDeps,
  request: UpdateEmbedderRequest,
  context: CallContext,
): Promise<EmbedderRow> {
  const general = generalViolations(request, deps.policy);
  if (general.length > 0) throw invalidFields(general);
  const change = {
    id: request.embedderId,
    request,
    hasChanges: hasChanges(UpdateEmbedderRequestSchema, request),
    async check(tx: Queryable, current: EmbedderRow) {
      const violations = embedderViolations(request, { ...deps, providerType: current.providerType });
      if (violations.length > 0) throw invalidFields(violations);
      await requireVectorsKept(tx, request, current);
    },
    ownAfter: (current: EmbedderRow) => ({
      dimensionality: request.dimensionality ?? current.dimensionality,
      distributionType: current.distributionType,
      maxSequenceLength: request.maxSequenceLength ?? current.maxSequenceLength,
    }),
    async updated(
      tx: Queryable,
      { before, after: { id, dimensionality } }: { before: EmbedderRow; after: EmbedderRow },
    ) {
      if (dimensionality === before.dimensionality) return;
      await dropVectorTable(tx, id);
      await createVectorTable(tx, { embedderId: id, dimensionality });
    },
  };
  return updateTarget(deps, embedderKind, change, context);
}

/** Vectors of two models do not compare: while a space uses the embedder, what makes its vectors stays as it is. */
async function requireVectorsKept(tx: Queryable, request: UpdateEmbedderRequest, current: EmbedderRow): Promise<void> {
  const isSparse = request.distributionType === DistributionType.SPARSE;
  const changed = [
    (request.modelIdentifier ?? current.modelIdentifier) === current.modelIdentifier ? [] : ['modelIdentifier'],
    (request.dimensionality ?? current.dimensionality) === current.dimensionality ? [] : ['dimensionality'],
    isSparse ? ['distributionType'] : [],
  ].flat();
  if (changed.length > 0 && (await isEmbedderUsed(tx, current.id))) {
    const details = changed.map((path) => `${path}: cannot be changed while a space uses the embedder`).join('; ');
    throw new ServiceError('FAILED_PRECONDITION', 'The embedder is used by a space', { details });
  }
  if (isSparse) throw sparseUnimplemented();
}
