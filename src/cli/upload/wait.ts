import { setTimeout as sleep } from 'node:timers/promises';
import { type Memory, MemoryService, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { CommandError, EXIT } from '../failure.ts';
import type { StoreContext } from './store-memories.ts';

const FIRST_POLL_MS = 100;
const SLOWEST_POLL_MS = 2000;
/** The longest pause between two attempts of the server is ten minutes; nothing moving for longer means stuck. */
const STANDSTILL_MS = 15 * 60_000;
const MOST_PER_BATCH = 500;

/** Yields each memory once its processing has ended, with its history. `now` gives epoch milliseconds. */
export async function* processed(
  context: StoreContext,
  memoryIds: Iterable<string>,
  now: () => number,
): AsyncGenerator<Memory> {
  const pending = new Set(memoryIds);
  let pollMs = FIRST_POLL_MS;
  let lastChange = now();
  while (pending.size > 0) {
    const ended = (await poll(context, [...pending].slice(0, MOST_PER_BATCH))).filter(hasEnded);
    for (const memory of ended) {
      pending.delete(memory.memoryId);
      yield memory;
    }
    if (ended.length > 0) {
      lastChange = now();
      pollMs = FIRST_POLL_MS;
    }
    if (pending.size === 0) return;
    if (now() - lastChange > STANDSTILL_MS) throw standstill(pending.size);
    await sleep(pollMs, undefined, { signal: context.signal });
    pollMs = Math.min(pollMs * 1.5, SLOWEST_POLL_MS);
  }
}

async function poll({ client, gate, signal }: StoreContext, memoryIds: readonly string[]): Promise<Memory[]> {
  const request = { memoryIds: [...memoryIds], includeProcessingHistory: true };
  const { results } = await gate.run(
    () => client.call(MemoryService.method.batchGetMemory, request, { signal }),
    signal,
  );
  const missing = results.find(({ success }) => !success);
  if (missing !== undefined) {
    throw new CommandError(missing.error?.message ?? 'A memory cannot be read any more', {
      code: 'NOT_FOUND',
      exit: EXIT.noInput,
      details: 'it was deleted while its processing was waited for',
    });
  }
  return results.flatMap(({ memory }) => memory ?? []);
}

function hasEnded({ processingStatus }: Memory): boolean {
  return processingStatus === ProcessingStatus.COMPLETED || processingStatus === ProcessingStatus.FAILED;
}

function standstill(count: number): CommandError {
  return new CommandError(`${count} memories are still not processed`, {
    code: 'DEADLINE_EXCEEDED',
    exit: EXIT.tryLater,
    details: `nothing has changed for ${STANDSTILL_MS / 60_000} minutes`,
    next: 'They are stored; look at them later with: svc memories list SPACE',
  });
}
