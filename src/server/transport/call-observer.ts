import type { ErrorCode } from '../../shared/errors.ts';

export type Transport = 'rest' | 'grpc';

/** One call that has ended. */
export interface FinishedCall {
  transport: Transport;
  /** A name of the operations table: bounded, unlike the path. */
  operation: string;
  /** `OK`, the code of the error, or `CANCELLED` when the client aborted the call. */
  code: ErrorCode | 'OK' | 'CANCELLED';
  /** Milliseconds from arrival to the last byte. */
  durationMs: number;
}

/** Why a key was not accepted. */
export type AuthFailure = 'missing' | 'invalid' | 'metrics_key';

/** Receives the events of calls over REST and gRPC, for metrics and statistics. Its methods must not throw. */
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

/** Of a server without metrics. */
export const NO_OBSERVER: CallObserver = {
  callBegun: ignore,
  callFinished: ignore,
  streamOpened: ignore,
  streamClosed: ignore,
  eventSent: ignore,
  rateLimited: ignore,
  authFailed: ignore,
};
