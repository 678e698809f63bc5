import { openScope } from '../../../shared/async/deadline.ts';
import { Wakeup } from '../../../shared/async/wakeup.ts';
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
  readonly #waiting = new Map<string, Set<Wakeup>>();

  constructor(db: Db, lifecycle: Lifecycle) {
    this.#db = db;
    this.#lifecycle = lifecycle;
  }

  /** To be called when a memory has become COMPLETED or FAILED. */
  notify(memoryId: string): void {
    for (const waiter of this.#waiting.get(memoryId) ?? []) waiter.notify();
  }

  /**
   * Waits for at most `waitMs` until all of these memories are COMPLETED, FAILED or deleted. A drain, a database error and
   * the signal also end the wait, without an error, since the memories are stored in any case.
   */
  async wait(memoryIds: readonly string[], waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs <= 0 || memoryIds.length === 0) return;
    const scope = openScope({ signal, timeoutMs: waitMs });
    const unlisten = this.#lifecycle.onDrain(() => scope.controller.abort());
    const open = new Set(memoryIds);
    const changed = new Wakeup();
    for (const id of open) this.#listen(id, changed);
    try {
      await this.#watch(open, changed, scope.signal);
    } catch {
      // See above: the memories are stored in any case.
    } finally {
      for (const id of open) this.#unlisten(id, changed);
      scope.close();
      unlisten();
    }
  }

  /** Empties `open`, unless the signal aborts first. */
  async #watch(open: Set<string>, changed: Wakeup, signal: AbortSignal): Promise<void> {
    for (let pollMs = FIRST_POLL_MS; !signal.aborted; pollMs = Math.min(2 * pollMs, LAST_POLL_MS)) {
      const rows = await selectMemoryStatuses(this.#db.main, [...open], { signal });
      const unfinished = new Set(rows.filter((row) => isUnfinished(row.processingStatus)).map((row) => row.memoryId));
      for (const id of [...open].filter((id) => !unfinished.has(id))) {
        open.delete(id);
        this.#unlisten(id, changed);
      }
      if (open.size === 0) return;
      await changed.wait({ signal, timeoutMs: pollMs });
    }
  }

  #listen(id: string, waiter: Wakeup): void {
    const waiters = this.#waiting.get(id) ?? new Set();
    waiters.add(waiter);
    this.#waiting.set(id, waiters);
  }

  #unlisten(id: string, waiter: Wakeup): void {
    const waiters = this.#waiting.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(id);
  }
}
