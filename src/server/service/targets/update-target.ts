import { type DescMessage, isFieldSet, type MessageShape } from '@bufbuild/protobuf';
import { notFound } from '../../../shared/errors.ts';
import type { CallContext } from '../../context.ts';
import type { Queryable } from '../../store/db.ts';
import type { TargetContent, TargetRow } from '../../store/targets.ts';
import { callerOf, requireMay } from '../permission.ts';
import { MAX_LABELS, updatedLabels, written } from '../resources.ts';
import type { TargetDeps } from './handlers.ts';
import type { TargetKind } from './kinds.ts';
import { credentialColumns, requireCredentialAllowed, requireRedirectAllowed } from './target-credentials.ts';
import { insidePathProblem, modalityNames, requireReachable, type UpdateTargetFields } from './target-fields.ts';
import { withTargetFingerprint } from './target-fingerprint.ts';

interface TargetChange<Own> {
  id: string;
  /** What can be judged without the record is known to be sound. */
  request: UpdateTargetFields;
  /** Whether the request changes anything; otherwise the record stays as it is, with its `updatedAt`. */
  hasChanges: boolean;
  /** What only this kind has, after the change. */
  ownAfter(current: TargetRow<Own>): Own;
  /** Throws when the record, which is locked, cannot be changed like this. */
  check?(tx: Queryable, current: TargetRow<Own>): Promise<void>;
  /** Changes what belongs to the record, in its transaction. */
  updated?(tx: Queryable, change: { before: TargetRow<Own>; after: TargetRow<Own> }): Promise<void>;
}

export function updateTarget<Own>(
  deps: TargetDeps,
  kind: TargetKind<Own>,
  change: TargetChange<Own>,
  context: CallContext,
): Promise<TargetRow<Own>> {
  const { id, request } = change;
  return deps.db.main.withTx(
    async (tx) => {
      const before = await kind.store.selectForUpdate(tx, id);
      if (before === undefined) throw notFound(kind.title, id);
      requireUpdatable(context, kind, request, before);
      await change.check?.(tx, before);
      requireReachable(deps.policy, request.endpointUrl, before.ownerRole);
      if (!change.hasChanges) return before;
      const content = contentAfter(deps, kind, change, { current: before, givenById: callerOf(context).userId });
      const after = written(await kind.store.update(tx, content, callerOf(context).userId));
      await change.updated?.(tx, { before, after });
      return after;
    },
    { signal: context.signal },
  );
}

function requireUpdatable<Own>(
  context: CallContext,
  { resource }: TargetKind<Own>,
  request: UpdateTargetFields,
  current: TargetRow,
): void {
  const { credentials } = request;
  const permission = `UPDATE_${resource}` as const;
  requireMay(context, permission, current.ownerId);
  requireCredentialAllowed(context, permission, credentials);
  if (isRedirected(request, current) && credentials === undefined) {
    requireRedirectAllowed(context, permission, current);
  }
}

/** To another address, or to a path that leads out of the address. */
function isRedirected({ endpointUrl, apiPath }: UpdateTargetFields, current: TargetRow): boolean {
  if (endpointUrl !== undefined && endpointUrl !== current.endpointUrl) return true;
  if (apiPath === undefined || apiPath === current.apiPath) return false;
  return insidePathProblem(apiPath.split('?', 1)[0] ?? '') !== undefined;
}

function contentAfter<Own>(
  { secretsKey }: TargetDeps,
  kind: TargetKind<Own>,
  { request, ownAfter }: TargetChange<Own>,
  { current, givenById }: { current: TargetRow<Own>; givenById: string },
): TargetContent<Own> {
  const modalities = modalityNames(request.supportedModalities);
  const { credentials } = request;
  const own = ownAfter(current);
  const content = {
    ...current,
    displayName: request.displayName ?? current.displayName,
    description: request.description ?? current.description,
    endpointUrl: request.endpointUrl ?? current.endpointUrl,
    apiPath: request.apiPath ?? apiPathAfter(kind, request, current),
    modelIdentifier: request.modelIdentifier ?? current.modelIdentifier,
    supportedModalities: modalities.length === 0 ? current.supportedModalities : modalities,
    labels: updatedLabels(current.labels, request.labelUpdate, MAX_LABELS),
    version: request.version ?? current.version,
    monitoringEndpoint: request.monitoringEndpoint ?? current.monitoringEndpoint,
    ...(credentials === undefined ? {} : credentialColumns(credentials, { id: current.id, givenById }, secretsKey)),
    ...own,
  };
  return withTargetFingerprint(content, kind.identity(own));
}

/** A default path may hold the model's name: it follows the model as long as it is the default. */
function apiPathAfter<Own>(
  { defaultApiPath }: TargetKind<Own>,
  { modelIdentifier }: UpdateTargetFields,
  current: TargetRow,
): string {
  if (modelIdentifier === undefined) return current.apiPath;
  const isDefault = current.apiPath === defaultApiPath(current.providerType, current.modelIdentifier);
  return isDefault ? defaultApiPath(current.providerType, modelIdentifier) : current.apiPath;
}

/** Whether an update request gives anything but the id, its first field. An empty list says nothing. */
export function hasChanges<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): boolean {
  return desc.fields.slice(1).some((field) => isFieldSet(request, field));
}
