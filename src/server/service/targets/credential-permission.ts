import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CallContext, Permission } from '../../context.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';

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
 * So does sending what such a stored credential leads to somewhere else: its owner need not be who was allowed to store
 * it. Only an inline secret is the owner's own.
 */
export function requireRedirectAllowed(context: CallContext, permission: Permission, stored: object | null): void {
  if (stored !== null && !('sealedSecret' in stored)) requireAnyScope(context, permission);
}

function requireAnyScope(context: CallContext, permission: Permission): void {
  if (!hasAnyScope(callerOf(context))) throw denied(permission, 'ANY');
}
