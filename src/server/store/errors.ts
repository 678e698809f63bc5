import pg from 'pg';
import {
  alreadyExists,
  type ErrorCode,
  failedPrecondition,
  notFound,
  type Resource,
  type ResourceKind,
  ServiceError,
} from '../../shared/errors.ts';

/** The database cannot be used until an administrator changes its configuration or the server's; the server exits with 78. */
export class FatalDatabaseError extends Error {
  override readonly name = 'FatalDatabaseError';
  /** A sentence that says what to do. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.remedy = remedy;
  }
}

/**
 * Why a call may succeed later: the database was unavailable, it answered too slowly, it had no free resources, or the
 * call conflicted with a concurrent write or schema upgrade.
 */
export type TransientReason = 'unavailable' | 'slow' | 'busy' | 'conflict';

/** A failure of the database and not of the request: the same call may succeed later. */
export class TransientDatabaseError extends ServiceError {
  readonly reason: TransientReason;

  constructor(reason: TransientReason, code: ErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
    this.reason = reason;
  }
}

interface Rule {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Whether a statement failed because a table that it names was dropped. */
export function isMissingTable(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && cause.code === '42P01';
}

/** The rule of a TransientDatabaseError. */
interface TransientRule extends Rule {
  readonly reason: TransientReason;
}

const transient = (reason: TransientReason, code: ErrorCode, message: string): TransientRule => ({
  reason,
  code,
  message,
});
const UNREACHABLE = transient('unavailable', 'UNAVAILABLE', 'The database cannot be reached at the moment');
const BUSY = transient('busy', 'UNAVAILABLE', 'The database has run out of connections, memory or disk space');
const CONFLICT = transient(
  'conflict',
  'UNAVAILABLE',
  'The request conflicted with another write and changed nothing; send it again',
);
const STALE = transient(
  'conflict',
  'UNAVAILABLE',
  'The database schema was upgraded during the request, which changed nothing; send it again',
);
const LATE = transient('slow', 'DEADLINE_EXCEEDED', 'The database did not answer in time');
const IN_DOUBT = transient(
  'unavailable',
  'INTERNAL',
  'The connection to the database was lost while the change was being saved; it is not known whether it was',
);
const REFUSED: Rule = { code: 'INTERNAL', message: 'The database refused a statement' };
const BAD_TEXT: Rule = { code: 'INVALID_ARGUMENT', message: 'A string contains characters that cannot be stored' };

/** The error that the caller gets, by SQLSTATE or by its class (the first two characters). */
const BY_STATE: Readonly<Record<string, Rule | TransientRule>> = {
  '08': UNREACHABLE,
  '53': BUSY,
  '57': UNREACHABLE,
  '57014': LATE,
  '40': CONFLICT,
  '40003': IN_DOUBT,
  '55P03': CONFLICT,
  // 25006: the primary became a standby. The others: stale plans and statements after another server's migration.
  '25006': UNREACHABLE,
  '0A000': STALE,
  '26000': STALE,
  '22021': BAD_TEXT,
  '22P05': BAD_TEXT,
  '23505': { code: 'ALREADY_EXISTS', message: 'The same resource exists already' },
  '23503': { code: 'FAILED_PRECONDITION', message: 'A resource that this one refers to is missing or in use' },
  '23514': { code: 'INVALID_ARGUMENT', message: 'A value is outside its allowed range' },
};

/** The server closes the connection after these. The severity says so too, but in the server's language. */
const TERMINATING = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04']);

/** Whether the server closes the connection after this error. */
export function endsConnection(error: pg.DatabaseError): boolean {
  return TERMINATING.has(error.code ?? '') || error.severity === 'FATAL' || error.severity === 'PANIC';
}

/** Whether a session that reported this error should be closed instead of used again. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  // The session is on a standby now, or holds plans and statements of an old schema; a new session has neither problem.
  return endsConnection(error) || error.code === '25006' || error.code === '26000' || isStalePlan(error);
}

/** 0A000 also stands for "feature not supported"; it means a stale plan only when plan revalidation raised it. */
function isStalePlan(error: pg.DatabaseError): boolean {
  return error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** The constraint that a write has broken, if it is one that requests can break. */
function constraintOf(error: pg.DatabaseError): ConstraintRule | undefined {
  return error.code?.startsWith('23') === true ? CONSTRAINTS.get(error.constraint ?? '') : undefined;
}

function ruleOf(error: pg.DatabaseError): Rule | TransientRule {
  if (error.code === '0A000' && !isStalePlan(error)) return REFUSED;
  return BY_STATE[error.code ?? ''] ?? BY_STATE[error.code?.slice(0, 2) ?? ''] ?? REFUSED;
}

/** For a commit, or a single write, that was sent and not answered: its outcome is unknown. */
export function commitInDoubt(cause: unknown): ServiceError {
  return transientError(IN_DOUBT, cause);
}

/** For a connection that broke before anything was committed. */
export function connectionLost(cause: unknown): ServiceError {
  return transientError(UNREACHABLE, cause);
}

/** The error that the caller of a failed statement gets. A ServiceError passes through unchanged. */
export function translateError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const broken = error instanceof pg.DatabaseError ? constraintOf(error) : undefined;
  if (broken !== undefined) return broken(error);
  const rule = error instanceof pg.DatabaseError ? ruleOf(error) : REFUSED;
  return isTransient(rule) ? transientError(rule, error) : new ServiceError(rule.code, rule.message, { cause: error });
}

function isTransient(rule: Rule | TransientRule): rule is TransientRule {
  return 'reason' in rule;
}

function transientError({ reason, code, message }: TransientRule, cause: unknown): TransientDatabaseError {
  return new TransientDatabaseError(reason, code, message, { cause });
}

/** The error of an aborted wait: the signal's reason if that is a ServiceError. */
export function abortError(signal: AbortSignal): ServiceError {
  const reason: unknown = signal.reason;
  if (reason instanceof ServiceError) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return deadlineExceeded(reason);
  return new ServiceError('DEADLINE_EXCEEDED', 'The call was canceled before the database answered', {
    cause: reason,
  });
}

/** The timeout of a statement or transaction has expired. */
export function deadlineExceeded(cause?: unknown): ServiceError {
  return transientError(LATE, cause);
}

/** The heartbeat gets no response from the database, so the call was not tried. */
export function databaseUnresponsive(): ServiceError {
  return new TransientDatabaseError('unavailable', 'UNAVAILABLE', 'The database does not answer at the moment');
}

/** No connection became free within the timeout. */
export function poolExhausted(seconds: number): ServiceError {
  const message = `All database connections were in use for ${seconds} seconds`;
  return new TransientDatabaseError('busy', 'UNAVAILABLE', message);
}

/** Makes the error that a caller gets when a write violates a constraint; `cause` is the error of the database. */
type ConstraintRule = (cause: unknown) => ServiceError;

/** The sentences name no value, since the database does not return values in a reliable form. */
const taken =
  (kind: ResourceKind, which: string, where?: string): ConstraintRule =>
  (cause) =>
    alreadyExists(kind, which, { ...(where === undefined ? {} : { where }), cause });
const inUse =
  (resource: Resource, message: string): ConstraintRule =>
  (cause) =>
    failedPrecondition(message, { resource, cause });
/** The caller has found it a moment ago; `referringTo` knows its id. */
const deleted =
  (kind: ResourceKind): ConstraintRule =>
  (cause) =>
    new ServiceError('NOT_FOUND', `${kind} not found: it was deleted during the call`, { resource: { kind }, cause });

/** The result of a write that refers to a resource. When that is deleted during the call, NOT_FOUND names it by its id. */
export async function referringTo<T>({ kind, id }: Required<Resource>, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const isMissing = error instanceof ServiceError && error.code === 'NOT_FOUND' && error.resource?.kind === kind;
    throw isMissing ? notFound(kind, id, { cause: error.cause }) : error;
  }
}

const USER = { kind: 'User' } as const;

/**
 * One row per constraint or unique index that a request can violate, by its name in the migrations. The database decides,
 * so there is no race between a check and a write. Constraints without a row get a general sentence.
 */
const CONSTRAINTS: ReadonlyMap<string, ConstraintRule> = new Map<string, ConstraintRule>([
  ['app_user_pkey', taken('User', 'with this id')],
  ['app_user_email_key', taken('User', 'with this email')],
  ['app_user_username_key', taken('User', 'with this username')],
  ['app_user_single_root', (cause) => new ServiceError('ALREADY_EXISTS', 'A root user exists already', { cause })],
  ['api_key_pkey', taken('API key', 'with this id')],
  ['api_key_user', deleted('User')],
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
  ['memory_space', deleted('Space')],
  ['embedder_owner', inUse(USER, 'The user owns embedders, or does not exist')],
  ['llm_owner', inUse(USER, 'The user owns LLMs, or does not exist')],
  ['reranker_owner', inUse(USER, 'The user owns rerankers, or does not exist')],
  ['space_owner', inUse(USER, 'The user owns spaces, or does not exist')],
  ['space_embedder_embedder', inUse({ kind: 'Embedder' }, 'The embedder is used by a space, or does not exist')],
]);
