import { invalidFields, ServiceError } from '../../../shared/errors.ts';
import { DistributionType, type UpdateEmbedderRequest } from '../../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../../context.ts';
import { defaultEmbedderApiPath } from '../../providers/embedders/protocols.ts';
import type { EmbedderProvider } from '../../providers/embedders/types.ts';
import type { Queryable } from '../../store/db.ts';
import {
  type EmbedderContent,
  type EmbedderRow,
  isEmbedderUsed,
  selectEmbedderForUpdate,
  updateEmbedderRow,
} from '../../store/embedders.ts';
import { createVectorTable, dropVectorTable } from '../../store/vector-tables.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { credentialFingerprint, storeCredential } from '../credentials.ts';
import { credentialInput } from '../credentials-input.ts';
import { updatedLabels } from '../labels.ts';
import { callerOf, requireMay } from '../permission.ts';
import { notFound, written } from '../resource-ids.ts';
import { type EmbedderDeps, sparseUnimplemented } from './create-embedder.ts';
import { requireRedirectAllowed, requireSecretRefAllowed } from './credential-permission.ts';
import { targetViolations } from './embedder-fields.ts';
import { modalityNames } from './embedder-message.ts';
import { withTargetFingerprint } from './target-fingerprint.ts';

const MAX_LABELS = 20;

export function updateEmbedder(
  deps: EmbedderDeps,
  request: UpdateEmbedderRequest,
  context: CallContext,
): Promise<EmbedderRow> {
  return deps.db.main.withTx(
    async (tx) => {
      const current = await selectEmbedderForUpdate(tx, request.embedderId);
      if (current === undefined) throw notFound('Embedder', request.embedderId);
      requireMay(context, 'UPDATE_EMBEDDER', current.ownerId);
      requireSecretRefAllowed(context, 'UPDATE_EMBEDDER', request.credentials);
      if (request.endpointUrl !== undefined && request.credentials === undefined) {
        requireRedirectAllowed(context, 'UPDATE_EMBEDDER', current.credentials as StoredCredential | null);
      }
      const { providerType } = current;
      const violations = targetViolations(request, { providerType, allowLinkLocal: deps.allowLinkLocal });
      if (violations.length > 0) throw invalidFields(violations);
      if (!hasChanges(request)) return current;
      await requireVectorsKept(tx, request, current);
      const content = contentAfter(deps, request, current);
      const row = await updateEmbedderRow(tx, content, callerOf(context).userId);
      if (content.dimensionality !== current.dimensionality) {
        await dropVectorTable(tx, current.embedderId);
        await createVectorTable(tx, content);
      }
      return written(row);
    },
    { signal: context.signal },
  );
}

function hasChanges(request: UpdateEmbedderRequest): boolean {
  const { embedderId: _id, labelUpdate, supportedModalities, distributionType, ...fields } = request;
  const { $typeName: _type, $unknown: _unknown, ...optional } = fields;
  return (
    labelUpdate.case !== undefined ||
    modalityNames(supportedModalities).length > 0 ||
    distributionType !== DistributionType.UNSPECIFIED ||
    Object.values(optional).some((value) => value !== undefined)
  );
}

/** Vectors of two models do not compare: while a space uses the embedder, what makes its vectors stays as it is. */
async function requireVectorsKept(tx: Queryable, request: UpdateEmbedderRequest, current: EmbedderRow): Promise<void> {
  const isSparse = request.distributionType === DistributionType.SPARSE;
  const changed = [
    (request.modelIdentifier ?? current.modelIdentifier) === current.modelIdentifier ? [] : ['modelIdentifier'],
    (request.dimensionality ?? current.dimensionality) === current.dimensionality ? [] : ['dimensionality'],
    isSparse ? ['distributionType'] : [],
  ].flat();
  if (changed.length > 0 && (await isEmbedderUsed(tx, current.embedderId))) {
    const details = changed.map((path) => `${path}: cannot be changed while a space uses the embedder`).join('; ');
    throw new ServiceError('FAILED_PRECONDITION', 'The embedder is used by a space', { details });
  }
  if (isSparse) throw sparseUnimplemented();
}

function contentAfter(
  { secretsKey }: EmbedderDeps,
  request: UpdateEmbedderRequest,
  current: EmbedderRow,
): EmbedderContent {
  const modalities = modalityNames(request.supportedModalities);
  return withTargetFingerprint({
    ...current,
    displayName: request.displayName ?? current.displayName,
    description: request.description ?? current.description,
    endpointUrl: request.endpointUrl ?? current.endpointUrl,
    apiPath: request.apiPath ?? apiPathAfter(request, current),
    modelIdentifier: request.modelIdentifier ?? current.modelIdentifier,
    dimensionality: request.dimensionality ?? current.dimensionality,
    maxSequenceLength: request.maxSequenceLength ?? current.maxSequenceLength,
    supportedModalities: modalities.length === 0 ? current.supportedModalities : modalities,
    labels: updatedLabels(current.labels, request.labelUpdate, MAX_LABELS),
    version: request.version ?? current.version,
    monitoringEndpoint: request.monitoringEndpoint ?? current.monitoringEndpoint,
    ...credentialsAfter(request, current, secretsKey),
  });
}

/** A default path may hold the model's name: it follows the model as long as it is the default. */
function apiPathAfter({ modelIdentifier }: UpdateEmbedderRequest, current: EmbedderRow): string {
  if (modelIdentifier === undefined) return current.apiPath;
  const provider = current.providerType as EmbedderProvider;
  const isDefault = current.apiPath === defaultEmbedderApiPath(provider, current.modelIdentifier);
  return isDefault ? defaultEmbedderApiPath(provider, modelIdentifier) : current.apiPath;
}

function credentialsAfter(
  request: UpdateEmbedderRequest,
  current: EmbedderRow,
  secretsKey: Uint8Array | undefined,
): Pick<EmbedderContent, 'credentials' | 'credentialFingerprint'> {
  if (request.credentials === undefined) {
    return { credentials: current.credentials, credentialFingerprint: current.credentialFingerprint };
  }
  const input = credentialInput(request.credentials);
  return {
    credentials: storeCredential(input, current.embedderId, secretsKey),
    credentialFingerprint: credentialFingerprint(input, secretsKey),
  };
}
