import type { ErrorCode } from '../../shared/errors.ts';

export type Transport = 'rest' | 'grpc';

/** One call that has ended, well or not. */
export interface FinishedCall {
  transport: Transport;
  /** A name of the operations table: bounded, unlike the path. */
  operation: string;
  /** `OK`, the code of the refusal, or `CANCELLED` for a caller who left first. */
  code: ErrorCode | 'OK' | 'CANCELLED';
  /** Milliseconds from arrival to the last byte. */
  durationMs: number;
}

/** Why a key was not accepted. */
export type AuthFailure = 'missing' | 'invalid' | 'metrics_key';

/** Told by both wires what passes through them, for metrics and statistics. Nothing in it may throw. */
export interface CallObserver {
  callBegun(transport: Transport): void;
  callFinished(call: FinishedCall): void;
  streamOpened(transport: Transport): void;
  streamClosed(transport: Transport): void;
  /** One event of a stream went out; `member` is its top-level member, e.g. `retrievedItem`. */
  eventSent(operation: string, member: string): void;
  rateLimited(transport: Transport): void;
  authFailed(reason: AuthFailure): void;
}

const ignore = () => {};

/** Of servers that nobody watches. */
export const NO_OBSERVER: CallObserver = {
  callBegun: ignore,
  callFinished: ignore,
  streamOpened: ignore,
  streamClosed: ignore,
  eventSent: ignore,
  rateLimited: ignore,
  authFailed: ignore,
};
