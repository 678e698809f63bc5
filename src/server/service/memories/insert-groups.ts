import { waitFor } from '../../../shared/async/deadline.ts';
import { mapBounded } from '../../../shared/async/map-bounded.ts';
import type { Pool } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import {
  type InlineMemory,
  insertMemories,
  insertStagedMemory,
  type NewContent,
  type NewMemory,
} from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';

/** Content of more bytes is stored by itself: its own commit costs little beside it. */
export const GROUPED_BYTES = 16_384;
/** Memories of one statement, so that it and the memory for it stay small. */
export const MOST_TOGETHER = 128;
/** Inserts at once after a transaction has failed. */
const SINGLY_AT_ONCE = 4;
/** One that waits for a lock, since its id is being deleted or stored elsewhere, holds up the others no longer. */
const PATIENCE_MS = 50;

interface Waiting extends InlineMemory {
  signal: AbortSignal;
  settle(outcome: Promise<MemoryRow | undefined>): void;
}

/**
 * Stores new memories, and those in one statement that arrive in the same turn of the event loop or while another statement
 * of their space is under way. No other wait is added, so that nothing is slower when little happens. Spaces do not wait for
 * each other, because an insert waits for the deletion of its space.
 */
export class InsertGroups {
  readonly #pool: Pool;
  /** By space, as long as something is being written to it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Stores a memory; resolves after the commit, with undefined when its staged content was swept. Throws as `insertMemories`.
   * When the signal aborts, it rejects with the reason, and the memory may be stored nevertheless.
   */
  insert(memory: NewMemory, content: NewContent, signal: AbortSignal): Promise<MemoryRow | undefined> {
    if (content.kind === 'staged') return insertStagedMemory(this.#pool, memory, { signal });
    if ((content.data?.length ?? 0) > GROUPED_BYTES) return this.#alone({ memory, content, signal });
    const stored = new Promise<MemoryRow | undefined>((settle) => {
      const item = { memory, content, signal, settle };
      const queue = this.#waiting.get(memory.spaceId);
      if (queue !== undefined) queue.push(item);
      else {
        this.#waiting.set(memory.spaceId, [item]);
        setImmediate(() => void this.#write(memory.spaceId));
      }
    });
    return waitFor(stored, { signal });
  }

  /** Writes what waits, and then what has come in the meantime, until nothing is left. What takes long goes on beside. */
  async #write(spaceId: string): Promise<void> {
    for (;;) {
      const group = this.#waiting.get(spaceId)?.splice(0, MOST_TOGETHER) ?? [];
      if (group.length === 0) break;
      // A caller that has left while it waited wants nothing stored.
      const [only, ...others] = group.filter(({ signal }) => !signal.aborted);
      if (only === undefined) continue;
      const written = others.length === 0 ? this.#single(only) : this.#together([only, ...others]);
      await waitFor(written, { timeoutMs: 2 * PATIENCE_MS }).catch(() => undefined);
    }
    this.#waiting.delete(spaceId);
  }

  /** Never rejects: the caller of the insert is told. */
  async #single(item: Waiting): Promise<void> {
    const stored = this.#alone(item);
    item.settle(stored);
    await stored.catch(() => undefined);
  }

  async #alone({ memory, content, signal }: Omit<Waiting, 'settle'>): Promise<MemoryRow | undefined> {
    const [row] = await insertMemories(this.#pool, [{ memory, content }], { signal });
    return row;
  }

  /** One statement; when it fails, one for each memory, so that a bad one fails alone. */
  async #together(group: readonly Waiting[]): Promise<void> {
    try {
      const rows = await insertMemories(this.#pool, group, { lockTimeoutMs: PATIENCE_MS });
      for (const [index, { settle }] of group.entries()) settle(Promise.resolve(rows[index]));
    } catch (error) {
      // A database that is away, or a commit whose outcome is unknown, is so for all.
      const isOfAll = error instanceof TransientDatabaseError && error.reason !== 'conflict';
      if (isOfAll) for (const { settle } of group) settle(Promise.reject(error));
      else await mapBounded(group, { limit: SINGLY_AT_ONCE }, (item) => this.#single(item));
    }
  }
}
