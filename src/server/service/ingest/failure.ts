import { ServiceError } from '../../../shared/errors.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { ClaimedJob, FailedAttempt } from '../../store/jobs.ts';
import { ExtractionError, WorkerOutOfMemory, WorkerTimeout } from '../../workers/errors.ts';

export const MAX_ATTEMPTS = 5;

/** Between attempts; the last one repeats while a provider is away. */
const WAITS_MS = [1000, 10_000, 60_000, 600_000] as const;
const SPREAD = 0.2;
const AWAY_LIMIT_MS = 86_400_000;
const MAX_STACK_CHARACTERS = 8000;

/** The job is no longer this worker's, or its memory is gone: nothing may be written any more. */
export class LeaseLost extends Error {
  constructor() {
    super('The job was taken over or canceled');
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

/**
 * How a failed attempt leaves its job. `random` is in [0, 1) and spreads the waits, so that jobs that failed together
 * do not come back together. `nowMs` is epoch milliseconds.
 */
export function failedAttempt(job: ClaimedJob, error: unknown, nowMs: number, random: number): FailedAttempt {
  const text = { errorMessage: messageOf(error), errorStacktrace: stackOf(error), statusMessage: null };
  const uncounted = job.attempts - 1;
  if (error instanceof Interrupted) return released(job);
  if (error instanceof ProviderError && error.away) {
    const isOver = job.awaySince !== null && nowMs - job.awaySince >= AWAY_LIMIT_MS;
    const delayMs = Math.max(waitMs(job.awayAttempts, random), Math.min(error.retryAfterMs ?? 0, WAITS_MS[3]));
    return {
      ...text,
      status: isOver ? 'FAILED' : 'PENDING',
      delayMs: isOver ? 0 : delayMs,
      attempts: uncounted,
      isAway: true,
      awayAttempts: job.awayAttempts + 1,
      statusMessage: 'The provider was away; not counted as an attempt',
    };
  }
  const isFinal = job.isExhausted || job.attempts >= job.maxAttempts || isPermanent(error);
  const delayMs = isFinal ? 0 : waitMs(job.attempts - 1, random);
  const status = isFinal ? 'FAILED' : 'PENDING';
  return { ...text, status, delayMs, attempts: job.attempts, isAway: false, awayAttempts: 0 };
}

function released(job: ClaimedJob): FailedAttempt {
  return {
    status: 'PENDING',
    delayMs: 0,
    attempts: job.attempts - 1,
    isAway: job.awaySince !== null,
    awayAttempts: job.awayAttempts,
    errorMessage: null,
    errorStacktrace: null,
    statusMessage: 'The server stopped; not counted as an attempt',
  };
}

function waitMs(failures: number, random: number): number {
  const base = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? WAITS_MS[3];
  return base * (1 + SPREAD * (2 * random - 1));
}

/** Whether no later attempt can succeed: the content, or a provider that this build does not have, is the reason. */
function isPermanent(error: unknown): boolean {
  if (error instanceof ProviderError) return error.permanent;
  if (error instanceof WorkerTimeout || error instanceof WorkerOutOfMemory) return true;
  if (error instanceof ServiceError && error.code === 'UNIMPLEMENTED') return true;
  return error instanceof ExtractionError;
}

function messageOf(error: unknown): string {
  return withoutNul(error instanceof Error ? error.message : String(error));
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
