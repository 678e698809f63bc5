import { invalidFields, ServiceError, type Violation } from '../../../shared/errors.ts';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import { type CreateEmbedderRequest, DistributionType } from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../../context.ts';
import { defaultEmbedderApiPath } from '../../providers/embedders/protocols.ts';
import { EMBEDDER_PROVIDERS, type EmbedderProvider } from '../../providers/embedders/types.ts';
import type { Db } from '../../store/db.ts';
import { type EmbedderRow, insertEmbedder, type NewEmbedder } from '../../store/embedders.ts';
import { createVectorTable } from '../../store/vector-tables.ts';
import { credentialFingerprint, storeCredential } from '../credentials.ts';
import { credentialInput } from '../credentials-input.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';
import { newId, written } from '../resource-ids.ts';
import { resolveUser } from '../users/load-user.ts';
import { requireSecretRefAllowed } from './credential-permission.ts';
import { BUILTIN_DIMENSIONS, targetViolations } from './embedder-fields.ts';
import { modalityNames } from './embedder-message.ts';
import { withTargetFingerprint } from './target-fingerprint.ts';

export interface EmbedderDeps {
  db: Db;
  /** Seals inline secrets; undefined on a server that has no key. */
  secretsKey: Uint8Array | undefined;
  /** `--provider-allow-link-local`. */
  allowLinkLocal: boolean;
}

export async function createEmbedder(
  deps: EmbedderDeps,
  request: CreateEmbedderRequest,
  context: CallContext,
): Promise<EmbedderRow> {
  const provider = providerOf(request.providerType);
  const violations = violationsOf(request, provider, deps.allowLinkLocal);
  if (violations.length > 0 || provider === undefined) throw invalidFields(violations);
  return deps.db.main.withTx(
    async (tx) => {
      const ownerId = await resolveUser(tx, context, 'CREATE_EMBEDDER', request.ownerId);
      requireSecretRefAllowed(context, 'CREATE_EMBEDDER', request.credentials);
      // A model directory is a path on the server's own disk.
      if (provider === 'ONNX' && !hasAnyScope(callerOf(context))) throw denied('CREATE_EMBEDDER', 'ANY');
      requireSupported(request, provider);
      const embedder = newEmbedder(deps, request, { provider, ownerId, createdById: callerOf(context).userId });
      const row = await insertEmbedder(tx, embedder);
      await createVectorTable(tx, embedder);
      return written(row);
    },
    { signal: context.signal },
  );
}

function providerOf(type: ProviderType): EmbedderProvider | undefined {
  return EMBEDDER_PROVIDERS.find((provider) => ProviderType[provider] === type);
}

function violationsOf(
  request: CreateEmbedderRequest,
  provider: EmbedderProvider | undefined,
  allowLinkLocal: boolean,
): Violation[] {
  if (provider === undefined) {
    return [{ path: 'providerType', problem: `must be one of ${EMBEDDER_PROVIDERS.join(', ')}` }];
  }
  const isBuiltin = provider === 'BUILTIN';
  const violations = targetViolations(request, { providerType: provider, allowLinkLocal });
  if (!isBuiltin && request.endpointUrl === undefined) violations.push({ path: 'endpointUrl', problem: 'is required' });
  if (!isBuiltin && request.dimensionality === undefined) {
    violations.push({ path: 'dimensionality', problem: 'is required' });
  }
  return violations;
}

/** Throws UNIMPLEMENTED for what this build cannot embed with. */
function requireSupported(request: CreateEmbedderRequest, provider: EmbedderProvider): void {
  if (request.distributionType === DistributionType.SPARSE) throw sparseUnimplemented();
  defaultEmbedderApiPath(provider, request.modelIdentifier);
}

export function sparseUnimplemented(): ServiceError {
  return new ServiceError('UNIMPLEMENTED', 'This build has no SPARSE embedders');
}

function newEmbedder(
  { secretsKey }: EmbedderDeps,
  request: CreateEmbedderRequest,
  { provider, ...by }: { provider: EmbedderProvider; ownerId: string; createdById: string },
): NewEmbedder {
  const embedderId = request.embedderId ?? newId();
  const credentials = request.credentials === undefined ? undefined : credentialInput(request.credentials);
  const modalities = modalityNames(request.supportedModalities);
  return withTargetFingerprint({
    ...by,
    embedderId,
    providerType: provider,
    displayName: request.displayName,
    description: request.description ?? '',
    endpointUrl: request.endpointUrl ?? '',
    apiPath: request.apiPath ?? defaultEmbedderApiPath(provider, request.modelIdentifier),
    modelIdentifier: request.modelIdentifier,
    dimensionality: request.dimensionality ?? BUILTIN_DIMENSIONS,
    distributionType: 'DENSE',
    maxSequenceLength: request.maxSequenceLength ?? null,
    supportedModalities: modalities.length === 0 ? ['TEXT'] : modalities,
    labels: request.labels,
    version: request.version ?? '',
    monitoringEndpoint: request.monitoringEndpoint ?? '',
    credentials: credentials === undefined ? null : storeCredential(credentials, embedderId, secretsKey),
    credentialFingerprint: credentialFingerprint(credentials, secretsKey),
  });
}
