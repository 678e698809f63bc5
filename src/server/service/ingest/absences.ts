import type { EmbedderRecord } from '../../providers/embedders/types.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import { leftMs, NotAsked, shortestWaitMs } from './failure.ts';

/** Nobody is told to wait longer for a provider that did not ask for it: what is new then would wait for what is old. */
const MOST_MS = 60_000;
/** An absence that nobody has looked at for so long is forgotten. */
const KEPT_MS = 3_600_000;

type Embedder = Pick<EmbedderRecord, 'id' | 'updatedAt'>;

interface Absence {
  /** Of the record: another one may be somewhere else. */
  updatedAt: number;
  failure: ProviderError;
  /** Times in a row that somebody asked when `until` was over, and it was away. */
  failures: number;
  /** Epoch milliseconds: of the last failure, and before which nobody asks. */
  at: number;
  until: number;
}

/**
 * Embedders that are away, and until when. What one job has met counts for all jobs of this process: the others put
 * themselves off without a call. Other servers find out for themselves, and a restart forgets; each costs one call.
 */
export class Absences {
  readonly #now: () => number;
  readonly #absences = new Map<string, Absence>();

  /** `now` returns epoch milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#absences.size === 0;
  }

  /**
   * Throws NotAsked when one of the embedders is away. A job whose time would be over by then asks for itself: nobody
   * is given up because of what somebody else was told.
   */
  check(embedders: readonly Embedder[], job: Pick<ClaimedJob, 'giveUpAfterMinutes' | 'unavailableSince'>): void {
    const now = this.#now();
    for (const { id, updatedAt } of embedders) {
      const absence = this.#absences.get(id);
      if (absence === undefined || absence.updatedAt !== updatedAt || absence.until <= now) continue;
      if (absence.until - now <= leftMs(job, now)) throw new NotAsked(absence.failure, absence.until);
    }
  }

  /** Makes a call of the embedder and learns from how it ends. */
  async watch<T>(embedder: Embedder, call: () => Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      const result = await call();
      const absence = this.#absences.get(embedder.id);
      // One that began before the failure says nothing about what came later.
      if (absence !== undefined && absence.at <= began) this.#absences.delete(embedder.id);
      return result;
    } catch (error) {
      if (error instanceof ProviderError && error.away) this.#note(embedder, error);
      throw error;
    }
  }

  #note({ id, updatedAt }: Embedder, failure: ProviderError): void {
    const now = this.#now();
    const known = this.#absences.get(id);
    const before = known?.updatedAt === updatedAt ? known : undefined;
    // Calls that were under way together fail together, and count once.
    const isSame = before !== undefined && now < before.until;
    const failures = (before?.failures ?? 0) + (isSame ? 0 : 1);
    const own = isSame ? 0 : Math.min(MOST_MS, shortestWaitMs(failures - 1));
    const until = Math.max(before?.until ?? 0, now + Math.max(own, failure.retryAfterMs ?? 0));
    this.#absences.set(id, { updatedAt, failure, failures, at: now, until });
    for (const [other, absence] of this.#absences) {
      if (absence.until < now - KEPT_MS) this.#absences.delete(other);
    }
  }
}
