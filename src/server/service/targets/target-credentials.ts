import { ServiceError } from '../../../shared/errors.ts';
import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CallContext, Permission } from '../../context.ts';
import type { TargetContent, TargetRow } from '../../store/targets.ts';
import { credentialFingerprint, storeCredential } from '../credentials/credentials.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { credentialInput } from '../credentials/validation.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';

type CredentialColumns = Pick<TargetContent, 'credentials' | 'credentialFingerprint'>;

export const NO_CREDENTIALS: CredentialColumns = { credentials: null, credentialFingerprint: '' };

/**
 * Credentials of a request as they are stored with the target `id`, and who gave them. Throws FAILED_PRECONDITION for an
 * inline secret when there is no key.
 */
export function credentialColumns(
  credentials: Credentials,
  { id, givenById }: { id: string; givenById: string },
  secretsKey: Uint8Array | undefined,
): CredentialColumns {
  const input = credentialInput(credentials);
  return {
    credentials: { ...storeCredential(input, id, secretsKey), givenById },
    credentialFingerprint: credentialFingerprint(input, secretsKey),
  };
}

/**
 * A reference reaches into the server's own environment and files, and application default credentials are the server's
 * own identity: both need the `_ANY` form of the permission.
 */
export function requireCredentialAllowed(
  context: CallContext,
  permission: Permission,
  credentials: Credentials | undefined,
): void {
  const { credential } = credentials ?? {};
  const isOfServer =
    credential?.case === 'gcpAdc' || (credential?.case === 'apiKey' && credential.value.secretRef !== undefined);
  if (isOfServer) requireAnyScope(context, permission);
}

/**
 * Sending such a stored credential to another address needs the `_ANY` form, too, as the owner of the target may not be
 * allowed to store it. An inline secret may be sent elsewhere only by the user who gave it: an administrator may have
 * stored a secret for a user, who could otherwise read it at an address of their own. For older credentials the giver
 * is known only if one user wrote the whole record.
 */
export function requireRedirectAllowed(context: CallContext, permission: Permission, current: TargetRow): void {
  const stored = current.credentials as StoredCredential | null;
  if (stored === null) return;
  if (!('sealedSecret' in stored)) {
    requireAnyScope(context, permission);
    return;
  }
  const caller = callerOf(context);
  const givers = stored.givenById === undefined ? [current.createdById, current.updatedById] : [stored.givenById];
  if (hasAnyScope(caller) || givers.every((giver) => giver === caller.userId)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'The stored secret was set by another user, so it cannot be sent to a different address',
    {
      details: 'give credentials together with the new address',
    },
  );
}

function requireAnyScope(context: CallContext, permission: Permission): void {
  if (!hasAnyScope(callerOf(context))) throw denied(permission, 'ANY');
}
