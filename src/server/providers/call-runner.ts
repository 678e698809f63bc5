import { withScope } from '../../shared/async/deadline.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { ProviderError } from './errors.ts';
import { type ObservedCall, observed, type ProviderCallEvent } from './observer.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import type { ClientDeps } from './target.ts';

/** A user waits for a query; a document is embedded in the background. */
type CallClass = 'query' | 'document';

interface RunOptions {
  callClass: CallClass;
  /** Tries in all. */
  attempts: number;
  signal: AbortSignal;
  /** Epoch milliseconds after which no try starts. */
  deadlineMs?: number | undefined;
  mayRepeat?: NonNullable<RetryOptions['mayRepeat']>;
  /** Top of any wait between two tries in milliseconds; that of `withRetries` by default. */
  capMs?: number | undefined;
}

/** Runs the calls of one target: each try waits for a slot, is reported to the observer and may be repeated. */
export class CallRunner {
  readonly observed: ObservedCall;
  readonly #slots: Semaphore<CallClass>;

  constructor(
    target: { kind: ProviderCallEvent['kind']; provider: string },
    deps: ClientDeps,
    slots: { inFlight: number; documentsInFlight: number },
  ) {
    this.observed = { ...target, observe: deps.observe };
    // Queries pass documents, and the last slots are kept free of documents: a user waits for a query, but not for a
    // batch of an ingestion.
    this.#slots = new Semaphore(slots.inFlight, { query: slots.inFlight, document: slots.documentsInFlight });
  }

  run<T>(options: RunOptions, once: () => Promise<T>): Promise<T> {
    const { callClass, attempts, signal, deadlineMs, capMs, mayRepeat } = options;
    return withRetries(() => this.#slots.run(callClass, signal, () => observed(this.observed, once)), {
      signal,
      attempts,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      ...(mayRepeat === undefined ? {} : { mayRepeat }),
      ...(capMs === undefined ? {} : { capMs }),
    });
  }
}

/**
 * Runs `work` under a controller whose signal ends with the caller's and at the deadline (epoch milliseconds, as a
 * `timeout`). `work` must not leave anything running when it settles.
 */
export function withProviderDeadline<T>(
  { signal, deadlineMs, peer }: { signal: AbortSignal; deadlineMs?: number | undefined; peer: string },
  work: (scope: AbortController) => Promise<T>,
): Promise<T> {
  const timeoutMs = deadlineMs === undefined ? undefined : deadlineMs - Date.now();
  const timeoutReason = () => new ProviderError('timeout', `${peer} did not answer before the deadline`);
  return withScope({ signal, timeoutMs, timeoutReason }, ({ controller }) => work(controller));
}
