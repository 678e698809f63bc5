import {
  alreadyExists,
  failedPrecondition,
  type Resource,
  type ResourceKind,
  ServiceError,
} from '../../shared/errors.ts';

/** What a caller is told when a write breaks a constraint of the schema: the error, with what the database said. */
export type ConstraintRule = (cause: unknown) => ServiceError;

/** Sentences name no value, since the database does not hand values back in a reliable form. */
const taken =
  (kind: ResourceKind, which: string, where?: string): ConstraintRule =>
  (cause) =>
    alreadyExists(kind, which, { ...(where === undefined ? {} : { where }), cause });
const inUse =
  (resource: Resource, message: string): ConstraintRule =>
  (cause) =>
    failedPrecondition(message, { resource, cause });
const USER = { kind: 'User' } as const;

/**
 * One row per constraint or unique index that a request can break, by its name in the migrations: the database decides,
 * so there is no race between looking and writing. Constraints without a row get a general sentence.
 */
export const CONSTRAINTS: ReadonlyMap<string, ConstraintRule> = new Map<string, ConstraintRule>([
  ['app_user_pkey', taken('User', 'with this id')],
  ['app_user_email_key', taken('User', 'with this email')],
  ['app_user_username_key', taken('User', 'with this username')],
  ['app_user_single_root', (cause) => new ServiceError('ALREADY_EXISTS', 'There is a root user already', { cause })],
  ['api_key_pkey', taken('API key', 'with this id')],
  [
    'api_key_user',
    (cause) => new ServiceError('NOT_FOUND', 'User not found: it was deleted meanwhile', { resource: USER, cause }),
  ],
  ['embedder_pkey', taken('Embedder', 'with this id')],
  [
    'embedder_same_target',
    taken('Embedder', 'of this owner with the same endpoint, model, dimensions and credentials'),
  ],
  ['llm_pkey', taken('LLM', 'with this id')],
  ['llm_same_target', taken('LLM', 'of this owner with the same endpoint, model and credentials')],
  ['reranker_pkey', taken('Reranker', 'with this id')],
  ['reranker_same_target', taken('Reranker', 'of this owner with the same endpoint, model and credentials')],
  ['space_pkey', taken('Space', 'with this id')],
  ['space_name_per_owner', taken('Space', 'with this name', 'for this owner')],
  ['memory_pkey', taken('Memory', 'with this id')],
  ['memory_id_key', taken('Memory', 'with this id')],
  ['embedder_owner', inUse(USER, 'The user owns embedders, or does not exist')],
  ['llm_owner', inUse(USER, 'The user owns LLMs, or does not exist')],
  ['reranker_owner', inUse(USER, 'The user owns rerankers, or does not exist')],
  ['space_owner', inUse(USER, 'The user owns spaces, or does not exist')],
  ['space_embedder_embedder', inUse({ kind: 'Embedder' }, 'The embedder is used by a space, or does not exist')],
]);
