import { invalidFields, ServiceError, type Violation } from '../../../shared/errors.ts';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import { type CreateEmbedderRequest, DistributionType } from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../../context.ts';
import type { AddressPolicy } from '../../providers/addresses.ts';
import { EMBEDDER_PROVIDERS, type EmbedderProvider } from '../../providers/embedders/types.ts';
import type { EmbedderRow } from '../../store/embedders.ts';
import { createVectorTable } from '../../store/vector-tables.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';
import { createTarget } from '../targets/create-target.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { BUILTIN_DIMENSIONS, embedderViolations } from './embedder-fields.ts';
import { embedderKind } from './embedder-kind.ts';

export async function createEmbedder(
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
    inserted: (tx: Parameters<typeof createVectorTable>[0], { id }: EmbedderRow) =>
      createVectorTable(tx, { embedderId: id, dimensionality }),
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

export function sparseUnimplemented(): ServiceError {
  return new ServiceError('UNIMPLEMENTED', 'This build does not support SPARSE embedders');
}
