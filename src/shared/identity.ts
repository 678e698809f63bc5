/** Permissions and roles: the one table from which every permission check follows. */

const VERBS = ['CREATE', 'READ', 'UPDATE', 'DELETE', 'LIST'] as const;
const RESOURCES = ['APIKEY', 'SPACE', 'MEMORY', 'EMBEDDER', 'LLM', 'RERANKER', 'USER'] as const;

/** A permission that exists as `…_OWN` (the caller's own resources) and as `…_ANY`. */
export type ScopedPermission =
  | `${(typeof VERBS)[number]}_${(typeof RESOURCES)[number]}`
  | 'PING_EMBEDDER'
  | 'PING_LLM'
  | 'PING_RERANKER'
  | 'PROXY_INFERENCE_TARGET';

/** A permission without scope. */
export type PlainPermission = 'OCR_DOCUMENT' | 'DRAIN_SERVER' | 'RELOAD_LICENSE' | 'PURGE_JOBS' | 'READ_SYSTEM';

export const SCOPED_PERMISSIONS: readonly ScopedPermission[] = [
  ...RESOURCES.flatMap((resource) => VERBS.map((verb) => `${verb}_${resource}` as const)),
  'PING_EMBEDDER',
  'PING_LLM',
  'PING_RERANKER',
  'PROXY_INFERENCE_TARGET',
];
export const PLAIN_PERMISSIONS: readonly PlainPermission[] = [
  'OCR_DOCUMENT',
  'DRAIN_SERVER',
  'RELOAD_LICENSE',
  'PURGE_JOBS',
  'READ_SYSTEM',
];

export type RoleName = 'ROOT' | 'ADMIN' | 'USER';

/** What a role holds: the widest scope of the scoped permissions, and which plain ones. */
export const ROLES: Record<RoleName, { scope: 'OWN' | 'ANY'; plain: readonly PlainPermission[] }> = {
  ROOT: { scope: 'ANY', plain: PLAIN_PERMISSIONS },
  ADMIN: { scope: 'ANY', plain: PLAIN_PERMISSIONS },
  USER: { scope: 'OWN', plain: ['OCR_DOCUMENT'] },
};

/** Roles whose embedders, LLMs and rerankers every authenticated user may read, list, ping, attach and retrieve through. */
export const SHARING_ROLES: readonly RoleName[] = ['ROOT', 'ADMIN'];

export function isScoped(permission: ScopedPermission | PlainPermission): permission is ScopedPermission {
  return !PLAIN_PERMISSIONS.includes(permission as PlainPermission);
}
