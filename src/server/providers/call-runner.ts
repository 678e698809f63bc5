import type { ClientDeps } from './client-deps.ts';
import { type ObservedCall, observed, type ProviderCallEvent } from './observer.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { type CallClass, CallSlots } from './slots.ts';

export interface RunOptions {
  callClass: CallClass;
  /** Tries in all. */
  attempts: number;
  signal: AbortSignal;
  /** Epoch milliseconds after which no try starts. */
  deadlineMs?: number | undefined;
  mayRepeat?: NonNullable<RetryOptions['mayRepeat']>;
}

/** Runs the calls of one target: each try waits for a slot, is reported to the observer and may be repeated. */
export class CallRunner {
  readonly observed: ObservedCall;
  readonly #slots: CallSlots;

  constructor(
    target: { kind: ProviderCallEvent['kind']; provider: string },
    deps: ClientDeps,
    slots: { inFlight: number; documentsInFlight: number },
  ) {
    this.observed = { ...target, observe: deps.observe };
    this.#slots = new CallSlots(slots.inFlight, slots.documentsInFlight);
  }

  run<T>({ callClass, attempts, signal, deadlineMs, mayRepeat }: RunOptions, once: () => Promise<T>): Promise<T> {
    return withRetries(() => this.#slots.run(callClass, signal, () => observed(this.observed, once)), {
      signal,
      attempts,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      ...(mayRepeat === undefined ? {} : { mayRepeat }),
    });
  }
}
