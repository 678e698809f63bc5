import { keyRequired, ServiceError } from '../../shared/errors.ts';
import { isScoped, ROLES, type RoleName, SHARING_ROLES } from '../../shared/identity.ts';
import type { CallContext, Caller, Guard, Permission } from '../context.ts';

/** The caller of an operation that needs a key; the transport has already refused a call without one. */
export function callerOf(context: CallContext): Caller {
  if (context.caller === undefined) throw keyRequired();
  return context.caller;
}

/** Of the first read of a call: it proves that the key is still what the call takes it to be. */
export function guarded({ signal, premise }: CallContext): { signal: AbortSignal; guards: readonly Guard[] } {
  return { signal, guards: premise?.guard === undefined ? [] : [premise.guard] };
}

/** Whether the caller's role holds a permission at all, in any scope. */
function holds(caller: Caller, permission: Permission): boolean {
  const role = ROLES[caller.role];
  return isScoped(permission) || role.plain.includes(permission);
}

/** Whether the caller may do this to a resource of that owner. */
export function may(caller: Caller, permission: Permission, ownerId: string): boolean {
  if (!holds(caller, permission)) return false;
  return ownerId === caller.userId || ROLES[caller.role].scope === 'ANY';
}

export function hasAnyScope(caller: Caller): boolean {
  return ROLES[caller.role].scope === 'ANY';
}

export function denied(permission: Permission, scope?: 'OWN' | 'ANY'): ServiceError {
  const name = scope === undefined ? permission : `${permission}_${scope}`;
  return new ServiceError('PERMISSION_DENIED', `The key lacks the permission ${name}`);
}

/** Refuses what a read-only key never does. */
function requireWritable({ operation }: CallContext, caller: Caller): void {
  if (caller.readOnly && operation.readOnlyKey !== 'allowed')
    throw new ServiceError('PERMISSION_DENIED', 'The key is read-only');
}

/** Refuses unless the caller may do this to a resource of that owner. */
export function requireMay(context: CallContext, permission: Permission, ownerId: string): void {
  const caller = callerOf(context);
  requireWritable(context, caller);
  if (!may(caller, permission, ownerId)) throw denied(permission, 'ANY');
}

/** Refuses a field or parameter that names another user, unless the `_ANY` form is held. Returns the user meant. */
export function resolveOwner(context: CallContext, permission: Permission, ownerId: string | undefined): string {
  const caller = callerOf(context);
  const owner = ownerId ?? caller.userId;
  if (!may(caller, permission, owner)) throw denied(permission, 'ANY');
  return owner;
}

/** Whether a space-bound key may touch this space. A key that is not bound may touch every one. */
function reachesSpace(caller: Caller, spaceId: string): boolean {
  return caller.spaceIds === undefined || caller.spaceIds.has(spaceId);
}

/** What a permission check needs of a space. */
export interface SpaceAccess {
  spaceId: string;
  ownerId: string;
  publicRead: boolean;
}

const PUBLIC_READS: ReadonlySet<Permission> = new Set(['READ_SPACE', 'READ_MEMORY', 'LIST_MEMORY']);

/** Refuses unless the caller may do this in the space: as its owner, with the `_ANY` form, or because it is public. */
export function requireInSpace(context: CallContext, permission: Permission, space: SpaceAccess): void {
  const caller = callerOf(context);
  requireWritable(context, caller);
  if (!reachesSpace(caller, space.spaceId)) {
    throw new ServiceError('PERMISSION_DENIED', `The key is restricted to other spaces than ${space.spaceId}`, {
      resource: { kind: 'Space', id: space.spaceId },
    });
  }
  if (space.publicRead && PUBLIC_READS.has(permission)) return;
  if (!may(caller, permission, space.ownerId)) throw denied(permission, 'ANY');
}

/** Whether an embedder, LLM or reranker of an owner with that role is shared with every authenticated user. */
function isShared(ownerRole: RoleName): boolean {
  return SHARING_ROLES.includes(ownerRole);
}

/** What a permission check needs of an embedder, LLM or reranker. */
interface TargetAccess {
  ownerId: string;
  ownerRole: RoleName;
}

/**
 * Refuses unless the caller may read, list, ping, attach or retrieve through the target: because it is shared, as its
 * owner, or with the `_ANY` form. A space-bound key reaches shared ones only.
 */
export function requireTarget(context: CallContext, permission: Permission, target: TargetAccess): void {
  const caller = callerOf(context);
  requireWritable(context, caller);
  if (isShared(target.ownerRole)) return;
  if (caller.spaceIds !== undefined) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      'The key is restricted to certain spaces and may use only shared embedders, LLMs and rerankers',
    );
  }
  if (!may(caller, permission, target.ownerId)) throw denied(permission, 'ANY');
}

/** Which targets a list shows the caller: every one, shared ones only, or also those of a user. */
export function visibleTargets(caller: Caller): 'all' | 'shared' | { ownerId: string } {
  if (caller.spaceIds !== undefined) return 'shared';
  return hasAnyScope(caller) ? 'all' : { ownerId: caller.userId };
}

/**
 * Refuses what a key can never do, whatever the resource: its restrictions forbid the operation, or its role lacks the
 * permission. Checked for every operation before its handler runs. Rules marked `judged` are left to the check of the
 * resource, so that a resource that does not exist is NOT_FOUND and not PERMISSION_DENIED.
 */
export function requireUnrestricted(context: CallContext): void {
  const { operation } = context;
  if (operation.auth !== 'key') return;
  const caller = callerOf(context);
  if (operation.readOnlyKey !== 'judged') requireWritable(context, caller);
  if (caller.spaceIds !== undefined && operation.spaceBoundKey === 'refused') {
    throw new ServiceError(
      'PERMISSION_DENIED',
      'The key is restricted to certain spaces and may not be used for this operation',
    );
  }
  if (operation.permission !== undefined && !holds(caller, operation.permission)) throw denied(operation.permission);
}
