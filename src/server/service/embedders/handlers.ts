import { create } from '@bufbuild/protobuf';
import { failedPrecondition, invalidFields, ServiceError, type Violation } from '../../../shared/errors.ts';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type CreateEmbedderRequest,
  DistributionType,
  type Embedder,
  EmbedderSchema,
  ListEmbeddersResponseSchema,
  type UpdateEmbedderRequest,
  UpdateEmbedderRequestSchema,
} from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../../context.ts';
import type { AddressPolicy } from '../../providers/addresses.ts';
import { EMBEDDER_PROVIDERS, type EmbedderProvider } from '../../providers/embedders/types.ts';
import type { Queryable } from '../../store/db.ts';
import { type EmbedderRow, isEmbedderUsed } from '../../store/embedders.ts';
import { createVectorTable, dropVectorTable } from '../../store/vector-tables.ts';
import type { Handlers } from '../handlers.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';
import { createTarget } from '../targets/create-target.ts';
import { type TargetDeps, targetHandlers, targetMembers } from '../targets/handlers.ts';
import { embedderKind } from '../targets/kinds.ts';
import { hasChanges, updateTarget } from '../targets/update-target.ts';
import { BUILTIN_DIMENSIONS, embedderViolations, generalViolations } from './embedder-fields.ts';

type EmbedderHandlers = Pick<
  Handlers,
  'createEmbedder' | 'getEmbedder' | 'listEmbedders' | 'updateEmbedder' | 'deleteEmbedder'
>;

export function createEmbedderHandlers(deps: TargetDeps): EmbedderHandlers {
  const targets = targetHandlers(deps.db, embedderKind, embedderMessage);
  return {
    createEmbedder: async (request, context) => embedderMessage(await createEmbedder(deps, request, context)),

    getEmbedder: ({ embedderId }, context) => targets.get(embedderId, context),

    async listEmbedders({ ownerId, providerType: type, label }, context) {
      const providerType = type === ProviderType.UNSPECIFIED ? undefined : ProviderType[type];
      const embedders = await targets.list({ ownerId, providerType, labels: label }, context);
      return create(ListEmbeddersResponseSchema, { embedders });
    },

    updateEmbedder: async (request, context) => embedderMessage(await updateEmbedder(deps, request, context)),

    deleteEmbedder: ({ embedderId }, context) =>
      targets.delete(embedderId, context, {
        check: (tx) => requireUnused(tx, embedderId),
        deleted: (tx) => dropVectorTable(tx, embedderId),
      }),
  };
}

function embedderMessage(row: EmbedderRow): Embedder {
  return create(EmbedderSchema, {
    embedderId: row.id,
    ...targetMembers(row),
    providerType: ProviderType[row.providerType as keyof typeof ProviderType],
    dimensionality: row.dimensionality,
    distributionType: DistributionType[row.distributionType as keyof typeof DistributionType],
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
  });
}

async function requireUnused(tx: Queryable, embedderId: string): Promise<void> {
  if (!(await isEmbedderUsed(tx, embedderId))) return;
  throw embedderInUse(embedderId, 'delete the spaces that use it first');
}

async function createEmbedder(
  deps: TargetDeps,
  request: CreateEmbedderRequest,
  context: CallContext,
): Promise<EmbedderRow> {
  const provider = EMBEDDER_PROVIDERS.find((name) => ProviderType[name] === request.providerType);
  const violations = violationsOf(request, provider, deps.policy);
  if (violations.length > 0 || provider === undefined) throw invalidFields(violations);
  const dimensionality = request.dimensionality ?? BUILTIN_DIMENSIONS;
  const creation = {
    request,
    id: request.embedderId,
    providerType: provider,
    own: { dimensionality, distributionType: 'DENSE', maxSequenceLength: request.maxSequenceLength ?? null },
    check: () => requireSupported(request, provider, context),
    inserted: (tx: Queryable, { id }: EmbedderRow) => createVectorTable(tx, { embedderId: id, dimensionality }),
  };
  return createTarget(deps, embedderKind, creation, context);
}

function violationsOf(
  request: CreateEmbedderRequest,
  provider: EmbedderProvider | undefined,
  policy: AddressPolicy,
): Violation[] {
  if (provider === undefined) {
    return [{ path: 'providerType', problem: `must be one of ${EMBEDDER_PROVIDERS.join(', ')}` }];
  }
  const isBuiltin = provider === 'BUILTIN';
  const violations = embedderViolations(request, { providerType: provider, policy });
  if (!isBuiltin && request.endpointUrl === undefined) violations.push({ path: 'endpointUrl', problem: 'is required' });
  if (!isBuiltin && request.dimensionality === undefined) {
    violations.push({ path: 'dimensionality', problem: 'is required' });
  }
  return violations;
}

/** Throws PERMISSION_DENIED, and UNIMPLEMENTED for what this build cannot embed with. */
function requireSupported(request: CreateEmbedderRequest, provider: EmbedderProvider, context: CallContext): void {
  // A model directory is a path on the server's own disk.
  if (provider === 'ONNX' && !hasAnyScope(callerOf(context))) throw denied('CREATE_EMBEDDER', 'ANY');
  if (request.distributionType === DistributionType.SPARSE) throw sparseUnimplemented();
  embedderKind.defaultApiPath(provider, request.modelIdentifier);
}

function sparseUnimplemented(): ServiceError {
  return new ServiceError('UNIMPLEMENTED', 'This build does not support SPARSE embedders');
}

async function updateEmbedder(
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
    throw embedderInUse(current.id, details);
  }
  if (isSparse) throw sparseUnimplemented();
}

/** `details` say what is in the way of, or what to do first. */
function embedderInUse(id: string, details: string): ServiceError {
  return failedPrecondition('The embedder is used by a space', { details, resource: { kind: 'Embedder', id } });
}
