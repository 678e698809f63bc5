import type { ErrorCode } from '../../shared/errors.ts';

/** What a caller is told when a write breaks a constraint of the schema. */
export interface ConstraintRule {
  readonly code: ErrorCode;
  /** A sentence; it names no value, since the database does not hand values back in a reliable form. */
  readonly message: string;
}

const taken = (message: string): ConstraintRule => ({ code: 'ALREADY_EXISTS', message });
const missing = (message: string): ConstraintRule => ({ code: 'NOT_FOUND', message });
const inUse = (message: string): ConstraintRule => ({ code: 'FAILED_PRECONDITION', message });

/**
 * One row per constraint or unique index that a request can break, by its name in the migrations: the database decides,
 * so there is no race between looking and writing. Constraints without a row get a general sentence.
 */
export const CONSTRAINTS: ReadonlyMap<string, ConstraintRule> = new Map([
  ['app_user_pkey', taken('A user with this id exists already')],
  ['app_user_email_key', taken('A user with this email exists already')],
  ['app_user_username_key', taken('A user with this username exists already')],
  ['app_user_single_root', taken('There is a root user already')],
  ['api_key_pkey', taken('An API key with this id exists already')],
  ['api_key_user', missing('User not found: it was deleted meanwhile')],
  ['embedder_pkey', taken('An embedder with this id exists already')],
  [
    'embedder_same_target',
    taken('An embedder of this owner with the same endpoint, model, dimensions and credentials exists already'),
  ],
  ['llm_pkey', taken('An LLM with this id exists already')],
  ['llm_same_target', taken('An LLM of this owner with the same endpoint, model and credentials exists already')],
  ['reranker_pkey', taken('A reranker with this id exists already')],
  [
    'reranker_same_target',
    taken('A reranker of this owner with the same endpoint, model and credentials exists already'),
  ],
  ['space_pkey', taken('A space with this id exists already')],
  ['space_name_per_owner', taken('A space with this name exists already for this owner')],
  ['memory_pkey', taken('A memory with this id exists already')],
  ['memory_id_key', taken('A memory with this id exists already')],
  ['embedder_owner', inUse('The user owns embedders, or does not exist')],
  ['llm_owner', inUse('The user owns LLMs, or does not exist')],
  ['reranker_owner', inUse('The user owns rerankers, or does not exist')],
  ['space_owner', inUse('The user owns spaces, or does not exist')],
  ['space_embedder_embedder', inUse('The embedder is used by a space, or does not exist')],
]);
