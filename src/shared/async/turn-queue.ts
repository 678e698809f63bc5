/**
 * A fair queue: owners take turns, so that a thousand tasks of one owner delay a task of another by one task only. The
 * tasks of one owner keep their order.
 */
export class TurnQueue<T> {
  /** The owner whose turn it is comes first; none of the sets is empty. */
  readonly #waiting = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(owner: string, item: T): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, new Set([item]));
    else own.add(item);
  }

  /** False when the item is no longer in the queue. */
  delete(owner: string, item: T): boolean {
    const own = this.#waiting.get(owner);
    const waited = own?.delete(item) ?? false;
    if (own?.size === 0) this.#waiting.delete(owner);
    return waited;
  }

  /** Removes and returns the next item. */
  take(): T | undefined {
    for (const [owner, own] of this.#waiting) {
      this.#waiting.delete(owner);
      for (const next of own) {
        own.delete(next);
        if (own.size > 0) this.#waiting.set(owner, own);
        return next;
      }
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const all = [...this.#waiting.values()].flatMap((own) => [...own]);
    this.#waiting.clear();
    return all;
  }
}
