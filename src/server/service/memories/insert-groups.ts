import { waitFor } from '../../../shared/async/deadline.ts';
import { mapBounded } from '../../../shared/async/map-bounded.ts';
import type { Pool } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { insertMemory, type NewContent, type NewMemory } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';

/** Content of more bytes is stored by itself: its own commit costs little beside it. */
export const GROUPED_BYTES = 16_384;
/** Memories of one transaction, so that it and the memory for it stay small. */
const MOST_TOGETHER = 32;
/** Inserts at once after a transaction has failed. */
const SINGLY_AT_ONCE = 4;
/** One that waits for a lock, since its id is being deleted or stored elsewhere, holds up the others no longer. */
const PATIENCE_MS = 50;

interface Waiting {
  memory: NewMemory;
  content: NewContent;
  signal: AbortSignal;
  settle(outcome: Promise<MemoryRow | undefined>): void;
}

/**
 * Stores new memories, and commits those together that arrive while another transaction of their space is under way. The
 * first one never waits, so that nothing is slower when little happens. Spaces do not wait for each other, because an
 * insert waits for the deletion of its space.
 */
export class InsertGroups {
  readonly #pool: Pool;
  /** By space, as long as something is being written to it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * As `insertMemory`; resolves after the commit. When the signal aborts, it rejects with the reason, and the memory may be
   * stored nevertheless.
   */
  insert(memory: NewMemory, content: NewContent, signal: AbortSignal): Promise<MemoryRow | undefined> {
    const isSmall = content.kind === 'inline' && (content.data?.length ?? 0) <= GROUPED_BYTES;
    if (!isSmall) return insertMemory(this.#pool, memory, content, { signal });
    const stored = new Promise<MemoryRow | undefined>((settle) => {
      const item = { memory, content, signal, settle };
      const queue = this.#waiting.get(memory.spaceId);
      if (queue === undefined) void this.#write(memory.spaceId, [item]);
      else queue.push(item);
    });
    return waitFor(stored, { signal });
  }

  /** Writes these and then what has come in the meantime, until nothing is left. What takes long goes on beside. */
  async #write(spaceId: string, first: Waiting[]): Promise<void> {
    const queue: Waiting[] = [];
    this.#waiting.set(spaceId, queue);
    for (let group = first; group.length > 0; group = queue.splice(0, MOST_TOGETHER)) {
      // A caller that has left while it waited wants nothing stored.
      const [only, ...others] = group.filter(({ signal }) => !signal.aborted);
      if (only === undefined) continue;
      const written = others.length === 0 ? this.#single(only) : this.#together([only, ...others]);
      await waitFor(written, { timeoutMs: 2 * PATIENCE_MS }).catch(() => undefined);
    }
    this.#waiting.delete(spaceId);
  }

  /** Never rejects: the caller of the insert is told. */
  async #single({ memory, content, signal, settle }: Waiting): Promise<void> {
    const stored = insertMemory(this.#pool, memory, content, { signal });
    settle(stored);
    await stored.catch(() => undefined);
  }

  /** One transaction; when it fails, one for each memory, so that a bad one fails alone. */
  async #together(group: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#pool.withTx(async (tx) => {
        await tx.script(`set local lock_timeout to '${PATIENCE_MS}ms'`);
        return await Promise.all(group.map(({ memory, content }) => insertMemory(tx, memory, content)));
      });
      for (const [index, { settle }] of group.entries()) settle(Promise.resolve(rows[index]));
    } catch (error) {
      // A database that is away, or a commit whose outcome is unknown, is so for all.
      const isOfAll = error instanceof TransientDatabaseError && error.reason !== 'conflict';
      if (isOfAll) for (const { settle } of group) settle(Promise.reject(error));
      else await mapBounded(group, { limit: SINGLY_AT_ONCE }, (item) => this.#single(item));
    }
  }
}
