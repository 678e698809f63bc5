import { ServiceError } from '../../../shared/errors.ts';
import { ProviderError } from '../../providers/errors.ts';
import { TransientDatabaseError, type TransientReason } from '../../store/errors.ts';
import type { FailedAttempt } from '../../store/job-endings.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import { ExtractionError, WorkerOutOfMemory, WorkerTimeout } from '../../workers/errors.ts';

export const MAX_ATTEMPTS = 5;

/** Between attempts; the last one repeats while a provider or the database is away. */
const WAITS_MS = [1000, 10_000, 60_000, 600_000] as const;
const SPREAD = 0.2;
const MAX_STACK_CHARACTERS = 8000;

/** The job is no longer this worker's, or its memory is gone: nothing may be written any more. */
export class LeaseLost extends Error {
  constructor() {
    super('The job was taken over or cancelled');
    this.name = 'LeaseLost';
  }
}

/** The server stops: the job goes back as if nobody had touched it. */
export class Interrupted extends Error {
  constructor() {
    super('The server stopped');
    this.name = 'Interrupted';
  }
}

/** An embedder is away, as another job has met it: it was not asked once more. */
export class NotAsked extends ProviderError {
  /** Before which nobody asks it again, in epoch milliseconds: how the attempt ended may be stored much later. */
  readonly until: number;

  constructor({ reason, message, httpStatus }: ProviderError, until: number) {
    super(reason, message, { away: true, ...(httpStatus === undefined ? {} : { httpStatus }) });
    this.name = 'NotAsked';
    this.until = until;
  }
}

/** How an attempt ends, but for what it has stored. */
type Ending = Omit<FailedAttempt, 'hasAdvanced' | 'preparedDigest'>;

/**
 * How a failed attempt leaves its job. `random` is in [0, 1) and spreads the waits, so that jobs that failed together
 * do not come back together. `nowMs` is epoch milliseconds.
 */
export function failedAttempt(job: ClaimedJob, error: unknown, nowMs: number, random: number): Ending {
  if (error instanceof Interrupted) return released(job);
  if (error instanceof ProviderError && error.away) {
    const askedMs = error instanceof NotAsked ? error.until - nowMs : (error.retryAfterMs ?? 0);
    return putOff(job, { error, ...PROVIDER_AWAY, askedMs }, nowMs, random);
  }
  if (error instanceof TransientDatabaseError) {
    return putOff(job, { error, ...TROUBLES[error.reason], askedMs: 0 }, nowMs, random);
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

/** What kept an attempt from its work, in words for the history and for the end of all waiting. */
interface Hindrance {
  was: string;
  still: string;
}

const PROVIDER_AWAY: Hindrance = { was: 'The provider was unavailable', still: 'The provider was still unavailable' };
const TROUBLES: Readonly<Record<TransientReason, Hindrance>> = {
  unavailable: { was: 'The database was unavailable', still: 'The database was still unavailable' },
  slow: { was: 'The database was too slow', still: 'The database was still too slow' },
  busy: {
    was: 'The database was short of connections, memory or disk space',
    still: 'The database was still short of connections, memory or disk space',
  },
  conflict: { was: 'Another write was in conflict', still: 'Another write was still in conflict' },
};

/** A hindrance as it was met, and the wait that it asks for. */
interface Absence extends Hindrance {
  error: Error;
  askedMs: number;
}

/**
 * Uses up no attempt, and ends when the time of the space is over. The last wait ends with that time and not behind it;
 * one that the provider asks for is kept in full, and where it goes beyond, waiting is pointless from the start. A job that
 * has not asked is not given up: it asks for itself when its time is over.
 */
function putOff(job: ClaimedJob, { error, was, still, askedMs }: Absence, nowMs: number, random: number): Ending {
  const texts = textsOf(error);
  const isAsked = !(error instanceof NotAsked);
  const notAsked = isAsked ? '' : ' for another job a moment before and was not asked again';
  const counts = {
    attempts: job.attempts - 1,
    isCounted: false,
    isUnavailable: true,
    unavailableAttempts: job.unavailableAttempts + 1,
  };
  const left = leftMs(job, nowMs);
  if (isAsked && (left <= 0 || askedMs > left)) {
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
      isAsked ? askedMs : Math.min(askedMs, left),
      Math.min(waitMs(job.unavailableAttempts, random), left),
    ),
    statusMessage: `${was}${notAsked}; not counted as an attempt`,
  };
}

/** How much longer a job waits for who is away, in milliseconds; 0 or less when that is over. */
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

/** The shortest wait that a job may be given after so many failures before this one, in milliseconds. */
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
