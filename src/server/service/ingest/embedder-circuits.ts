import type { EmbedderRecord } from '../../providers/embedders/types.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import { CircuitOpen, leftMs, shortestWaitMs } from './failed-attempt.ts';

/** A longer wait only if the provider asks for it: jobs for new memories would be delayed by old failures. */
const LONGEST_OPEN_MS = 60_000;
/** A circuit is forgotten this long after its time is over. */
const KEPT_MS = 3_600_000;

type Embedder = Pick<EmbedderRecord, 'id' | 'updatedAt'>;

interface Circuit {
  /** Version of the embedder's record: a changed record may have another endpoint. */
  updatedAt: number;
  failure: ProviderError;
  /** Consecutive failed calls that were made after `until`. */
  failures: number;
  /** Epoch milliseconds of the last failure. */
  at: number;
  /** Epoch milliseconds before which no job calls the embedder. */
  until: number;
}

/**
 * A circuit breaker for each embedder: after one job has found an embedder unavailable, the other jobs of this process are
 * postponed without a call. Other servers, and this one after a restart, find out by a call of their own.
 */
export class EmbedderCircuits {
  readonly #now: () => number;
  readonly #circuits = new Map<string, Circuit>();

  /** `now` returns epoch milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#circuits.size === 0;
  }

  /**
   * Throws CircuitOpen when one of the embedders is unavailable. A job whose time to give up would come before `until` makes
   * its own call: no job fails because of the response to another job.
   */
  check(embedders: readonly Embedder[], job: Pick<ClaimedJob, 'giveUpAfterMinutes' | 'unavailableSince'>): void {
    const now = this.#now();
    for (const { id, updatedAt } of embedders) {
      const circuit = this.#circuits.get(id);
      if (circuit === undefined || circuit.updatedAt !== updatedAt || circuit.until <= now) continue;
      if (circuit.until - now <= leftMs(job, now)) throw new CircuitOpen(circuit.failure, circuit.until);
    }
  }

  /** Calls the embedder; opens or closes its circuit by the outcome. */
  async call<T>(embedder: Embedder, run: () => Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      const result = await run();
      const circuit = this.#circuits.get(embedder.id);
      // A call that began before the failure does not show that the embedder has recovered since.
      if (circuit !== undefined && circuit.at <= began) this.#circuits.delete(embedder.id);
      return result;
    } catch (error) {
      if (error instanceof ProviderError && error.away) this.#note(embedder, error);
      throw error;
    }
  }

  #note({ id, updatedAt }: Embedder, failure: ProviderError): void {
    const now = this.#now();
    const known = this.#circuits.get(id);
    const before = known?.updatedAt === updatedAt ? known : undefined;
    // Concurrent calls fail together and count once.
    const isSame = before !== undefined && now < before.until;
    const failures = (before?.failures ?? 0) + (isSame ? 0 : 1);
    const own = isSame ? 0 : Math.min(LONGEST_OPEN_MS, shortestWaitMs(failures - 1));
    const until = Math.max(before?.until ?? 0, now + Math.max(own, failure.retryAfterMs ?? 0));
    this.#circuits.set(id, { updatedAt, failure, failures, at: now, until });
    for (const [other, circuit] of this.#circuits) {
      if (circuit.until < now - KEPT_MS) this.#circuits.delete(other);
    }
  }
}
