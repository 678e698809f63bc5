import { abortable } from './abort.ts';

interface Waiter<Kind> {
  kind: Kind;
  admit: () => void;
}

/**
 * A counting semaphore for work of several kinds, each of which may hold at most its share of the places. Kinds that
 * are named first have priority over later ones; within a kind the order is first in, first out.
 */
export class Semaphore<Kind extends string> {
  readonly #places: number;
  readonly #shares: Readonly<Record<Kind, number>>;
  readonly #kinds: readonly Kind[];
  readonly #waiting: Waiter<Kind>[] = [];
  readonly #held = new Map<Kind, number>();
  #running = 0;

  /** At most `places` at once in all, and of each kind at most its share. */
  constructor(places: number, shares: Readonly<Record<Kind, number>>) {
    this.#places = places;
    this.#shares = shares;
    this.#kinds = Object.keys(shares) as Kind[];
  }

  /**
   * Resolves with what gives the place back, to be called once. Rejects with the reason of the signal when that aborts
   * before there is a place.
   */
  async acquire(kind: Kind, signal: AbortSignal): Promise<() => void> {
    await this.#taken(kind, signal);
    return () => this.#leave(kind);
  }

  /** What gives a place back, to be called once; undefined when there is none at once. */
  take(kind: Kind): (() => void) | undefined {
    if (!this.#admits(kind)) return undefined;
    this.#enter(kind);
    return () => this.#leave(kind);
  }

  /** Runs `work` in a place. Rejects as `acquire` and as `work` do; an abort does not end `work`. */
  async run<T>(kind: Kind, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const waiting = this.#taken(kind, signal);
    // Work that gets a place begins at once, without a turn of the event loop.
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      this.#leave(kind);
    }
  }

  /** Undefined when there was a place. */
  #taken(kind: Kind, signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (!this.#admits(kind)) return this.#wait(kind, signal);
    this.#enter(kind);
    return undefined;
  }

  #admits(kind: Kind): boolean {
    return this.#running < this.#places && (this.#held.get(kind) ?? 0) < this.#shares[kind];
  }

  #enter(kind: Kind): void {
    this.#running += 1;
    this.#held.set(kind, (this.#held.get(kind) ?? 0) + 1);
  }

  #leave(left: Kind): void {
    this.#running -= 1;
    this.#held.set(left, (this.#held.get(left) ?? 0) - 1);
    for (const kind of this.#kinds) {
      const at = this.#waiting.findIndex((waiter) => waiter.kind === kind);
      const waiter = this.#waiting[at];
      if (waiter === undefined || !this.#admits(kind)) continue;
      // Entered here and not by the woken caller: no other caller may take the place in between.
      this.#enter(kind);
      waiter.admit();
      return;
    }
  }

  #wait(kind: Kind, signal: AbortSignal): Promise<void> {
    return abortable<void>(signal, (admit) => {
      const waiter: Waiter<Kind> = { kind, admit };
      this.#waiting.push(waiter);
      return () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
      };
    });
  }
}
