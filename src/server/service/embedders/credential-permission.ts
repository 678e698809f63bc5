import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CallContext, Permission } from '../../context.ts';
import { callerOf, denied, hasAnyScope } from '../permission.ts';

/** A reference reaches into the server's own environment and files: it needs the `_ANY` form of the permission. */
export function requireSecretRefAllowed(
  context: CallContext,
  permission: Permission,
  credentials: Credentials | undefined,
): void {
  const { credential } = credentials ?? {};
  const isReference = credential?.case === 'apiKey' && credential.value.secretRef !== undefined;
  if (isReference && !hasAnyScope(callerOf(context))) throw denied(permission, 'ANY');
}
