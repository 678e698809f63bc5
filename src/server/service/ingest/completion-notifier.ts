import { openScope } from '../../../shared/async/deadline.ts';
import { sleep } from '../../../shared/async/timer.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { Db } from '../../store/db.ts';
import { selectMemoryStatuses } from '../../store/memories.ts';
import { isUnfinished } from '../../store/memory-row.ts';

/** Another server may process a memory, so its status is polled, with growing intervals. */
const FIRST_POLL_MS = 100;
const LAST_POLL_MS = 1000;

/** Lets callers wait for the end of processing: notified at once by this process, found by polling for other servers. */
export class CompletionNotifier {
  readonly #db: Db;
  readonly #lifecycle: Lifecycle;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(db: Db, lifecycle: Lifecycle) {
    this.#db = db;
    this.#lifecycle = lifecycle;
  }

  /** To be called when a memory has become COMPLETED or FAILED. */
  notify(memoryId: string): void {
    for (const wake of this.#waiting.get(memoryId) ?? []) wake();
  }

  /**
   * Waits for at most `waitMs` until all of these memories are COMPLETED, FAILED or deleted. A drain, a database error and
   * the signal also end the wait, without an error, since the memories are stored in any case.
   */
  async wait(memoryIds: readonly string[], waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs <= 0 || memoryIds.length === 0) return;
    const scope = openScope({ signal, timeoutMs: waitMs, late: () => undefined });
    const endWhenDraining = () => this.#lifecycle.draining && scope.controller.abort();
    const unlisten = this.#lifecycle.onChange(endWhenDraining);
    endWhenDraining();
    try {
      await this.#watch(new Set(memoryIds), scope.signal);
    } finally {
      scope.close();
      unlisten();
    }
  }

  async #watch(open: Set<string>, signal: AbortSignal): Promise<void> {
    for (let pollMs = FIRST_POLL_MS; !signal.aborted && open.size > 0; pollMs = Math.min(2 * pollMs, LAST_POLL_MS)) {
      const changed = new AbortController();
      const wake = () => changed.abort();
      for (const id of open) this.#listen(id, wake);
      signal.addEventListener('abort', wake, { once: true });
      try {
        const rows = await selectMemoryStatuses(this.#db.main, [...open], { signal });
        const unfinished = new Set(rows.filter((row) => isUnfinished(row.processingStatus)).map((row) => row.memoryId));
        for (const id of open) if (!unfinished.has(id)) this.#forget(open, id, wake);
        if (open.size > 0) await sleep(pollMs, changed.signal).catch(() => undefined);
      } catch {
        return;
      } finally {
        signal.removeEventListener('abort', wake);
        for (const id of open) this.#unlisten(id, wake);
      }
    }
  }

  #forget(open: Set<string>, id: string, wake: () => void): void {
    open.delete(id);
    this.#unlisten(id, wake);
  }

  #listen(id: string, wake: () => void): void {
    const listeners = this.#waiting.get(id) ?? new Set();
    listeners.add(wake);
    this.#waiting.set(id, listeners);
  }

  #unlisten(id: string, wake: () => void): void {
    const listeners = this.#waiting.get(id);
    listeners?.delete(wake);
    if (listeners?.size === 0) this.#waiting.delete(id);
  }
}
