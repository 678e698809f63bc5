import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CallContext, Permission } from '../../context.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';

/** A reference reaches into the server's own environment and files: it needs the `_ANY` form of the permission. */
export function requireSecretRefAllowed(
  context: CallContext,
  permission: Permission,
  credentials: Credentials | undefined,
): void {
  const { credential } = credentials ?? {};
  if (credential?.case === 'apiKey' && credential.value.secretRef !== undefined) requireAnyScope(context, permission);
}

/** So does sending what a stored reference leads to somewhere else: its owner need not be who was allowed to store it. */
export function requireRedirectAllowed(
  context: CallContext,
  permission: Permission,
  stored: StoredCredential | null,
): void {
  if (stored?.secretRef !== undefined) requireAnyScope(context, permission);
}

function requireAnyScope(context: CallContext, permission: Permission): void {
  if (!hasAnyScope(callerOf(context))) throw denied(permission, 'ANY');
}
