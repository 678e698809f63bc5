import { sleep } from '../../shared/async/timer.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { type Memory, MemoryService, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { itemError } from '../kit/client/call-errors.ts';
import { CommandError, hasCode } from '../kit/errors.ts';
import { counted } from '../kit/text/figures.ts';
import type { Emit } from './events.ts';
import { hasEnded, type Versions } from './versions.ts';

const FIRST_POLL_MS = 100;
const SLOWEST_POLL_MS = 2000;
/** While something moves: two calls a second leave a key most of its 600 a minute. */
const BUSY_POLL_MS = 500;
/** The longest pause between two attempts of the server is ten minutes; nothing moving for longer means stuck. */
const STANDSTILL_MS = 15 * 60_000;
const MOST_PER_BATCH = 500;

interface WaitOptions {
  /** Told of each memory. */
  versions: Versions;
  /** Epoch milliseconds. */
  now: () => number;
  /** How long to wait at most; until all has ended when left out. */
  patienceMs?: number;
}

/** Waits for the processing of memories of a run and tells of each when it begins, and when it has ended or vanished. */
export async function awaitProcessing(
  context: StoreContext,
  memoryIds: Iterable<string>,
  { versions, ...options }: WaitOptions,
  emit: Emit,
): Promise<void> {
  for await (const { memoryId, memory } of processed(context, memoryIds, options)) {
    const path = versions.stored.get(memoryId) ?? memoryId;
    if (memory === undefined) await emit({ kind: 'vanished', path, memoryId });
    else await emit({ kind: hasEnded(memory.processingStatus) ? 'processed' : 'processing', path, memory });
  }
}

/** A memory as it is now, with its history; undefined when it was deleted. */
interface Polled {
  memoryId: string;
  memory: Memory | undefined;
}

/** Yields each memory when its processing has begun and once it has ended: COMPLETED, FAILED, or deleted. */
async function* processed(
  context: StoreContext,
  memoryIds: Iterable<string>,
  { now, patienceMs = Number.POSITIVE_INFINITY }: Pick<WaitOptions, 'now' | 'patienceMs'>,
): AsyncGenerator<Polled> {
  const pending = new Set(memoryIds);
  const begun = new Set<string>();
  let pollMs = FIRST_POLL_MS;
  const began = now();
  let lastChange = began;
  while (pending.size > 0) {
    let isMoving = false;
    for (const polled of await poll(context, [...pending].slice(0, MOST_PER_BATCH))) {
      const { memoryId, memory } = polled;
      const isOver = memory === undefined || hasEnded(memory.processingStatus);
      const hasBegun = memory?.processingStatus === ProcessingStatus.PROCESSING && !begun.has(memoryId);
      if (hasBegun) begun.add(memoryId);
      if (isOver) pending.delete(memoryId);
      if (!hasBegun && !isOver) continue;
      isMoving = true;
      yield polled;
    }
    if (isMoving) lastChange = now();
    if (pending.size === 0 || now() - began > patienceMs) return;
    if (now() - lastChange > STANDSTILL_MS) throw standstill(pending.size);
    await sleep(pollMs, context.signal);
    pollMs = Math.min(pollMs * 1.5, isMoving ? BUSY_POLL_MS : SLOWEST_POLL_MS);
  }
}

async function poll({ client, gate, signal }: StoreContext, memoryIds: readonly string[]): Promise<Polled[]> {
  const request = { memoryIds: [...memoryIds], includeProcessingHistory: true };
  const { results } = await gate.run(
    () => client.call(MemoryService.method.batchGetMemory, request, { signal }),
    signal,
  );
  return memoryIds.map((memoryId, index) => {
    const { success = false, memory, error: status } = results[index] ?? {};
    if (success && memory !== undefined) return { memoryId, memory };
    const error = itemError(status);
    if (!hasCode(error, 'NOT_FOUND')) throw error;
    return { memoryId, memory: undefined };
  });
}

function standstill(count: number): CommandError {
  return new CommandError(`Still not processed: ${counted(count, 'memory')}`, {
    code: 'DEADLINE_EXCEEDED',
    exit: EXIT.tryLater,
    details: `nothing has changed for ${STANDSTILL_MS / 60_000} minutes`,
    next: 'They are stored; look at them later with: svc memories list SPACE',
  });
}
