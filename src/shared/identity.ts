/** Permissions and roles: the one table from which every permission check follows. */

type Verb = 'CREATE' | 'READ' | 'UPDATE' | 'DELETE' | 'LIST';
type Resource = 'APIKEY' | 'SPACE' | 'MEMORY' | 'EMBEDDER' | 'LLM' | 'RERANKER' | 'USER';

/** A permission that exists as `…_OWN` (the caller's own resources) and as `…_ANY`. */
export type ScopedPermission =
  | `${Verb}_${Resource}`
  | 'PING_EMBEDDER'
  | 'PING_LLM'
  | 'PING_RERANKER'
  | 'PROXY_INFERENCE_TARGET';

const PLAIN_PERMISSIONS = ['OCR_DOCUMENT', 'DRAIN_SERVER', 'RELOAD_LICENSE', 'PURGE_JOBS', 'READ_SYSTEM'] as const;

/** A permission without scope. */
export type PlainPermission = (typeof PLAIN_PERMISSIONS)[number];

export type RoleName = 'ROOT' | 'ADMIN' | 'USER';

/** What a role holds: the widest scope of the scoped permissions, and which plain ones. */
export const ROLES: Record<RoleName, { scope: 'OWN' | 'ANY'; plain: readonly PlainPermission[] }> = {
  ROOT: { scope: 'ANY', plain: PLAIN_PERMISSIONS },
  ADMIN: { scope: 'ANY', plain: PLAIN_PERMISSIONS },
  USER: { scope: 'OWN', plain: ['OCR_DOCUMENT'] },
};

/** Roles whose embedders, LLMs and rerankers every user may read, list, ping, attach and retrieve through. */
export const SHARING_ROLES: readonly RoleName[] = ['ROOT', 'ADMIN'];

export function isScoped(permission: ScopedPermission | PlainPermission): permission is ScopedPermission {
  return !PLAIN_PERMISSIONS.includes(permission as PlainPermission);
}
