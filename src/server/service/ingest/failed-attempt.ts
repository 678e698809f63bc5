import { ServiceError } from '../../../shared/errors.ts';
import { ProviderError } from '../../providers/errors.ts';
import { TransientDatabaseError, type TransientReason } from '../../store/errors.ts';
import type { FailedAttempt } from '../../store/job-endings.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import { ExtractionError, WorkerOutOfMemory, WorkerTimeout } from '../../workers/errors.ts';

export const MAX_ATTEMPTS = 5;

/** Waits between attempts; the last one repeats while a provider or the database is unavailable. */
const WAITS_MS = [1000, 10_000, 60_000, 600_000] as const;
const SPREAD = 0.2;
const MAX_STACK_CHARACTERS = 8000;

/** This worker no longer holds the job, or its memory was deleted: it must not write any more. */
export class LeaseLost extends Error {
  constructor() {
    super('The job was taken over or canceled');
    this.name = 'LeaseLost';
  }
}

/** The server stops: the job is released without counting the attempt. */
export class AttemptInterrupted extends Error {
  constructor() {
    super('The server stopped');
    this.name = 'AttemptInterrupted';
  }
}

/** Another job has found the embedder unavailable, so this one did not call it. */
export class CircuitOpen extends ProviderError {
  /** Epoch milliseconds before which no job calls it. Absolute, because the end of the attempt may be stored much later. */
  readonly until: number;

  constructor({ reason, message, httpStatus }: ProviderError, until: number) {
    super(reason, message, { away: true, ...(httpStatus === undefined ? {} : { httpStatus }) });
    this.name = 'CircuitOpen';
    this.until = until;
  }
}

/** How an attempt ends, without what it has stored. */
type Ending = Omit<FailedAttempt, 'hasAdvanced' | 'preparedDigest'>;

/**
 * The state in which a failed attempt leaves its job. `random` in [0, 1) is the jitter of the wait, so that jobs that failed
 * together are not retried together. `nowMs` is epoch milliseconds.
 */
export function failedAttempt(job: ClaimedJob, error: unknown, nowMs: number, random: number): Ending {
  if (error instanceof AttemptInterrupted) return released(job);
  if (error instanceof ProviderError && error.away) {
    const askedMs = error instanceof CircuitOpen ? error.until - nowMs : (error.retryAfterMs ?? 0);
    return postpone(job, { error, ...PROVIDER_UNAVAILABLE, askedMs }, nowMs, random);
  }
  if (error instanceof TransientDatabaseError) {
    return postpone(job, { error, ...DATABASE_FAILURES[error.reason], askedMs: 0 }, nowMs, random);
  }
  const isFinal = job.isExhausted || job.attempts >= job.maxAttempts || isPermanent(error);
  return {
    ...textsOf(error),
    status: isFinal ? 'FAILED' : 'PENDING',
    delayMs: isFinal ? 0 : waitMs(job.attempts - 1, random),
    attempts: job.attempts,
    isCounted: true,
    isUnavailable: false,
    unavailableAttempts: 0,
  };
}

/** Why an attempt could not do its work: the sentence for the history, and the one for a job that gives up. */
interface TransientCause {
  was: string;
  still: string;
}

const PROVIDER_UNAVAILABLE: TransientCause = {
  was: 'The provider was unavailable',
  still: 'The provider was still unavailable',
};
const DATABASE_FAILURES: Readonly<Record<TransientReason, TransientCause>> = {
  unavailable: { was: 'The database was unavailable', still: 'The database was still unavailable' },
  slow: { was: 'The database was too slow', still: 'The database was still too slow' },
  busy: {
    was: 'The database was short of connections, memory or disk space',
    still: 'The database was still short of connections, memory or disk space',
  },
  conflict: {
    was: 'The write was in conflict with another one',
    still: 'The write was still in conflict with another one',
  },
};

/** A transient failure with the wait that the provider asks for. */
interface TransientFailure extends TransientCause {
  error: Error;
  askedMs: number;
}

/**
 * Postpones the job without counting the attempt, until the `giveUpAfterMinutes` of its space have passed. The last wait
 * ends at that time at the latest. A wait that the provider asks for is kept in full; if it goes beyond that time, the job
 * fails at once. A job that has not called the provider itself does not fail: it makes a call when its time has passed.
 */
function postpone(
  job: ClaimedJob,
  { error, was, still, askedMs }: TransientFailure,
  nowMs: number,
  random: number,
): Ending {
  const texts = textsOf(error);
  const isCalled = !(error instanceof CircuitOpen);
  const notCalled = isCalled ? '' : ' for another job moments before and was not called again';
  const counts = {
    attempts: job.attempts - 1,
    isCounted: false,
    isUnavailable: true,
    unavailableAttempts: job.unavailableAttempts + 1,
  };
  const left = leftMs(job, nowMs);
  if (isCalled && (left <= 0 || askedMs > left)) {
    const limit = `the ${counted(job.giveUpAfterMinutes, 'minute')} that the space waits (giveUpAfterMinutes)`;
    const asks = `The provider asks to wait for ${inWords(askedMs)}, longer than what is left of ${limit}`;
    const why = left <= 0 ? `${still} after ${limit}` : asks;
    return {
      ...texts,
      ...counts,
      status: 'FAILED',
      delayMs: 0,
      errorMessage: `${texts.errorMessage?.replace(/\.$/, '')}. ${why}`,
    };
  }
  return {
    ...texts,
    ...counts,
    status: 'PENDING',
    delayMs: Math.max(
      0,
      isCalled ? askedMs : Math.min(askedMs, left),
      Math.min(waitMs(job.unavailableAttempts, random), left),
    ),
    statusMessage: `${was}${notCalled}; not counted as an attempt`,
  };
}

/** How much longer a job waits for an unavailable provider or database, in milliseconds; 0 or less when it gives up. */
export function leftMs(job: Pick<ClaimedJob, 'giveUpAfterMinutes' | 'unavailableSince'>, nowMs: number): number {
  return job.giveUpAfterMinutes * 60_000 - (job.unavailableSince === null ? 0 : nowMs - job.unavailableSince);
}

function released(job: ClaimedJob): Ending {
  return {
    status: 'PENDING',
    delayMs: 0,
    attempts: job.attempts - 1,
    isCounted: false,
    isUnavailable: job.unavailableSince !== null,
    unavailableAttempts: job.unavailableAttempts,
    errorMessage: null,
    errorStacktrace: null,
    statusMessage: 'The server stopped; not counted as an attempt',
  };
}

function waitMs(failures: number, random: number): number {
  const base = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? WAITS_MS[3];
  return base * (1 + SPREAD * (2 * random - 1));
}

/** The shortest wait of a job after this number of earlier failures, in milliseconds. */
export function shortestWaitMs(failures: number): number {
  return waitMs(failures, 0);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** A time in the largest unit of which it holds two, rounded up: `14 days`, `90 minutes`. */
function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= 2 * length) ?? ['second', 1000];
  return counted(Math.ceil(ms / size), unit);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Whether no later attempt can succeed: the content, or a provider that this build does not have, is the reason. */
function isPermanent(error: unknown): boolean {
  if (error instanceof ProviderError) return error.permanent;
  if (error instanceof WorkerTimeout || error instanceof WorkerOutOfMemory) return true;
  if (error instanceof ServiceError && error.code === 'UNIMPLEMENTED') return true;
  return error instanceof ExtractionError;
}

function textsOf(error: unknown): Pick<FailedAttempt, 'errorMessage' | 'errorStacktrace' | 'statusMessage'> {
  const message = withoutNul(error instanceof Error ? error.message : String(error));
  return { errorMessage: message, errorStacktrace: stackOf(error), statusMessage: null };
}

function stackOf(error: unknown): string | null {
  const stacks: string[] = [];
  for (let at = error; at instanceof Error && stacks.length < 5; at = at.cause) stacks.push(at.stack ?? at.message);
  return stacks.length === 0 ? null : withoutNul(stacks.join('\ncaused by: ')).slice(0, MAX_STACK_CHARACTERS);
}

/** Messages quote content and answers of providers; PostgreSQL takes no NUL in a text. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
