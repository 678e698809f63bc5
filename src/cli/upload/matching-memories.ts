import { type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { itemError } from '../kit/client/call-errors.ts';
import { pages } from '../kit/client/client.ts';
import { given } from '../kit/flags/flag.ts';
import type { Earlier } from './events.ts';

const { listMemories, batchDeleteMemory } = MemoryService.method;
const MOST_AT_ONCE = 500;

/** The memories of a space that match a filter, newest first. Whoever deletes some reads all of them before. */
export function matchingMemories(
  { client, gate, signal }: StoreContext,
  spaceId: string,
  filter: string,
): AsyncGenerator<Memory> {
  return pages(async (_wanted, nextToken) => {
    const request = { spaceId, filter, maxResults: MOST_AT_ONCE, ...given({ nextToken }) };
    const response = await gate.run(() => client.call(listMemories, request, { signal }), signal);
    return { items: response.memories, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

export interface DeleteOptions {
  /** Returns those of some that are to be deleted, directly before they are; all when left out. */
  check?: (some: readonly Earlier[]) => Promise<readonly Earlier[]>;
  /** Told of each, with the error of one that is still there. */
  settle: (memory: Earlier, error: unknown) => Promise<void>;
}

/** Deletes memories, many at once. */
export async function deleteMemories(
  { client, gate, signal }: StoreContext,
  memories: readonly Earlier[],
  { check = async (some) => some, settle }: DeleteOptions,
): Promise<void> {
  for (let at = 0; at < memories.length; at += MOST_AT_ONCE) {
    const some = await check(memories.slice(at, at + MOST_AT_ONCE));
    if (some.length === 0) continue;
    const request = { memoryIds: some.map(({ memoryId }) => memoryId) };
    const { results } = await gate.run(() => client.call(batchDeleteMemory, request, { signal }), signal);
    for (const [index, memory] of some.entries()) {
      const { success = false, error: status } = results[index] ?? {};
      const error = success ? undefined : itemError(status);
      // Somebody else has deleted it meanwhile: it is gone, and that is what was wanted.
      await settle(memory, error?.code === 'NOT_FOUND' ? undefined : error);
    }
  }
}
