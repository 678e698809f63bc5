import pg from 'pg';
import { type ErrorCode, ServiceError } from '../../shared/errors.ts';
import { CONSTRAINTS, type ConstraintRule } from './constraints.ts';

/** The database cannot serve this program until somebody changes something; the server exits with 78. */
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
 * Why what was asked for may well succeed later: nobody is there, an answer took too long, nothing is free, or somebody
 * else's write or new schema was in the way.
 */
export type TroubleReason = 'away' | 'slow' | 'busy' | 'conflict';

/** The database is in trouble, and not what was asked of it. */
export class DatabaseTrouble extends ServiceError {
  readonly reason: TroubleReason;

  constructor(reason: TroubleReason, code: ErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
    this.reason = reason;
  }
}

interface Rule {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Of a DatabaseTrouble. */
interface TroubleRule extends Rule {
  readonly reason: TroubleReason;
}

const passing = (reason: TroubleReason, code: ErrorCode, message: string): TroubleRule => ({ reason, code, message });
const UNREACHABLE = passing('away', 'UNAVAILABLE', 'The database cannot be reached at the moment');
const BUSY = passing('busy', 'UNAVAILABLE', 'The database has run out of connections, memory or disk space');
const CONFLICT = passing(
  'conflict',
  'UNAVAILABLE',
  'The request conflicted with another write and changed nothing; send it again',
);
const STALE = passing(
  'conflict',
  'UNAVAILABLE',
  'The database schema was upgraded during the request, which changed nothing; send it again',
);
const LATE = passing('slow', 'DEADLINE_EXCEEDED', 'The database did not answer in time');
const IN_DOUBT = passing(
  'away',
  'INTERNAL',
  'The connection to the database was lost while the change was being saved; it is not known whether it was',
);
const REFUSED: Rule = { code: 'INTERNAL', message: 'The database refused a statement' };
const BAD_TEXT: Rule = { code: 'INVALID_ARGUMENT', message: 'A text contains characters that cannot be stored' };

/** SQLSTATE, or its class in two characters, to what the caller is told. */
const BY_STATE: Readonly<Record<string, Rule | TroubleRule>> = {
  '08': UNREACHABLE,
  '53': BUSY,
  '57': UNREACHABLE,
  '57014': LATE,
  '40': CONFLICT,
  '40003': IN_DOUBT,
  '55P03': CONFLICT,
  // A primary that became a standby, and plans or statements of a schema that another server has just migrated.
  '25006': UNREACHABLE,
  '0A000': STALE,
  '26000': STALE,
  '22021': BAD_TEXT,
  '22P05': BAD_TEXT,
  '23505': { code: 'ALREADY_EXISTS', message: 'The same resource exists already' },
  '23503': { code: 'FAILED_PRECONDITION', message: 'A resource that this one refers to is missing or in use' },
  '23514': { code: 'INVALID_ARGUMENT', message: 'A value is outside its allowed range' },
};

/** The server ends the connection after these; the severity says so too, but in the server's language. */
const TERMINATING = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04']);

/** Whether this error is the server's last word on its connection. */
export function endsConnection(error: pg.DatabaseError): boolean {
  return TERMINATING.has(error.code ?? '') || error.severity === 'FATAL' || error.severity === 'PANIC';
}

/** Whether a session that reported this error should be closed instead of used again. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  // On a standby now, or holding plans and statements of another schema: a new session has none of that.
  return endsConnection(error) || error.code === '25006' || error.code === '26000' || isStalePlan(error);
}

/** 0A000 is "feature not supported" too; only plan revalidation makes it a stale plan. */
function isStalePlan(error: pg.DatabaseError): boolean {
  return error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** The constraint that a write has broken, if it is one that requests can break. */
function constraintOf(error: pg.DatabaseError): ConstraintRule | undefined {
  return error.code?.startsWith('23') === true ? CONSTRAINTS.get(error.constraint ?? '') : undefined;
}

function ruleOf(error: pg.DatabaseError): Rule | TroubleRule {
  if (error.code === '0A000' && !isStalePlan(error)) return REFUSED;
  return BY_STATE[error.code ?? ''] ?? BY_STATE[error.code?.slice(0, 2) ?? ''] ?? REFUSED;
}

/** A commit, or a single write, that was sent and not answered: it may or may not have happened. */
export function commitInDoubt(cause: unknown): ServiceError {
  return troubleOf(IN_DOUBT, cause);
}

/** The connection broke before anything was committed. */
export function connectionLost(cause: unknown): ServiceError {
  return troubleOf(UNREACHABLE, cause);
}

/** What a failed statement means to the caller; errors that are ServiceError already pass through. */
export function translateError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const broken = error instanceof pg.DatabaseError ? constraintOf(error) : undefined;
  if (broken !== undefined) return broken(error);
  const rule = error instanceof pg.DatabaseError ? ruleOf(error) : REFUSED;
  return isTrouble(rule) ? troubleOf(rule, error) : new ServiceError(rule.code, rule.message, { cause: error });
}

function isTrouble(rule: Rule | TroubleRule): rule is TroubleRule {
  return 'reason' in rule;
}

function troubleOf({ reason, code, message }: TroubleRule, cause: unknown): DatabaseTrouble {
  return new DatabaseTrouble(reason, code, message, { cause });
}

/** What an aborted wait means: a ServiceError given as the signal's reason speaks for itself. */
export function abortError(signal: AbortSignal): ServiceError {
  const reason: unknown = signal.reason;
  if (reason instanceof ServiceError) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return deadlineExceeded(reason);
  return new ServiceError('DEADLINE_EXCEEDED', 'The call was cancelled before the database answered', {
    cause: reason,
  });
}

/** The bound of a statement or transaction is over. */
export function deadlineExceeded(cause?: unknown): ServiceError {
  return troubleOf(LATE, cause);
}

/** The database has not answered anybody for a while: the call was not even tried. */
export function silent(): ServiceError {
  return new DatabaseTrouble('away', 'UNAVAILABLE', 'The database does not answer at the moment');
}

/** No connection became free within the bound. */
export function poolExhausted(seconds: number): ServiceError {
  const message = `All database connections were in use for ${seconds} seconds`;
  return new DatabaseTrouble('busy', 'UNAVAILABLE', message);
}
