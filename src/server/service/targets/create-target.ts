import type { RoleName } from '../../../shared/identity.ts';
import type { CallContext } from '../../context.ts';
import type { Queryable } from '../../store/db.ts';
import type { NewTarget, TargetRow } from '../../store/targets.ts';
import { callerOf } from '../permission.ts';
import { newId, written } from '../resources.ts';
import { loadUser, requestedUserId } from '../users/load-user.ts';
import type { TargetDeps } from './handlers.ts';
import type { TargetKind } from './kinds.ts';
import { credentialColumns, NO_CREDENTIALS, requireCredentialAllowed } from './target-credentials.ts';
import { type CreateTargetFields, modalityNames, requireReachable } from './target-fields.ts';
import { withTargetFingerprint } from './target-fingerprint.ts';

interface TargetCreation<Own> {
  /** Its fields are known to be sound. */
  request: CreateTargetFields;
  /** Chosen by the server when undefined. */
  id: string | undefined;
  providerType: string;
  own: Own;
  /** Throws when the caller may not create the target, or this build cannot call it. */
  check?(): void;
  /** Creates what belongs to the record, in its transaction. */
  inserted?(tx: Queryable, row: TargetRow<Own>): Promise<void>;
}

/** Stores a new target for the user that the request names. The provider is not called; ping does that. */
export function createTarget<Own>(
  deps: TargetDeps,
  kind: TargetKind<Own>,
  creation: TargetCreation<Own>,
  context: CallContext,
): Promise<TargetRow<Own>> {
  const { request } = creation;
  const permission = `CREATE_${kind.resource}` as const;
  return deps.db.main.withTx(
    async (tx) => {
      const ownerId = await requestedUserId(tx, context, permission, request.ownerId);
      requireReachable(deps.policy, request.endpointUrl, await roleOf(tx, ownerId, context));
      requireCredentialAllowed(context, permission, request.credentials);
      creation.check?.();
      const by = { ownerId, createdById: callerOf(context).userId };
      const row = written(await kind.store.insert(tx, newTarget(deps, kind, creation, by)));
      await creation.inserted?.(tx, row);
      return row;
    },
    { signal: context.signal },
  );
}

async function roleOf(tx: Queryable, userId: string, context: CallContext): Promise<RoleName> {
  const caller = callerOf(context);
  return userId === caller.userId ? caller.role : (await loadUser(tx, userId, { signal: context.signal })).role;
}

function newTarget<Own>(
  { secretsKey }: TargetDeps,
  kind: TargetKind<Own>,
  { request, providerType, own, ...creation }: TargetCreation<Own>,
  by: { ownerId: string; createdById: string },
): NewTarget<Own> {
  const id = creation.id ?? newId();
  const { credentials, modelIdentifier } = request;
  const modalities = modalityNames(request.supportedModalities);
  const target = {
    ...by,
    id,
    providerType,
    displayName: request.displayName,
    description: request.description ?? '',
    endpointUrl: request.endpointUrl ?? '',
    apiPath: request.apiPath ?? kind.defaultApiPath(providerType, modelIdentifier),
    modelIdentifier,
    supportedModalities: modalities.length === 0 ? ['TEXT'] : modalities,
    labels: request.labels,
    version: request.version ?? '',
    monitoringEndpoint: request.monitoringEndpoint ?? '',
    ...(credentials === undefined
      ? NO_CREDENTIALS
      : credentialColumns(credentials, { id, givenById: by.createdById }, secretsKey)),
  };
  return { ...withTargetFingerprint(target, kind.identity(own)), ...own };
}
