import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { ErrorCode } from '../../shared/errors.ts';
import type { NamedOperation } from '../../shared/operations/operation.ts';

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

/** Reports one call to the observer: each event once, and the end however the call ends. */
export class CallReport {
  readonly #observer: CallObserver;
  readonly #transport: Transport;
  readonly #operation: string;
  readonly #started = performance.now();
  #code: FinishedCall['code'] | undefined;
  #isStreaming = false;
  #hasEnded = false;

  constructor(observer: CallObserver, transport: Transport, operation: NamedOperation) {
    this.#observer = observer;
    this.#transport = transport;
    this.#operation = operation.name;
    observer.callBegun(transport);
  }

  /** Sets the code with which the call ends. The first one counts, because later failures follow from it. */
  fail(code: FinishedCall['code']): void {
    this.#code ??= code;
  }

  openStream(): void {
    if (this.#isStreaming) return;
    this.#isStreaming = true;
    this.#observer.streamOpened(this.#transport);
  }

  /** One event has been written. */
  sent(desc: DescMessage, event: Message): void {
    this.#observer.eventSent(this.#operation, memberOf(desc, event));
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isStreaming) this.#observer.streamClosed(this.#transport);
    this.#observer.callFinished({
      transport: this.#transport,
      operation: this.#operation,
      code: this.#code ?? 'OK',
      durationMs: performance.now() - this.#started,
    });
  }
}

/** The one member of an event, by its JSON name. */
function memberOf(desc: DescMessage, event: Message): string {
  const oneof = desc.oneofs[0];
  const set =
    oneof === undefined ? undefined : (event as unknown as Record<string, { case?: string }>)[oneof.localName];
  return set?.case ?? 'none';
}
