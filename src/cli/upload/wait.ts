import { setTimeout as sleep } from 'node:timers/promises';
import { type Memory, MemoryService, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { StoreContext } from '../bulk/store-memories.ts';
import { CommandError, EXIT } from '../failure.ts';
import { counted } from '../render/counted.ts';
import type { Emit } from './events.ts';
import type { Versions } from './versions.ts';

const FIRST_POLL_MS = 100;
const SLOWEST_POLL_MS = 2000;
/** While something moves: two calls a second leave a key most of its 600 a minute. */
const BUSY_POLL_MS = 500;
/** The longest pause between two attempts of the server is ten minutes; nothing moving for longer means stuck. */
const STANDSTILL_MS = 15 * 60_000;
const MOST_PER_BATCH = 500;

export interface WaitOptions {
  /** Told of each memory. */
  versions: Versions;
  /** Epoch milliseconds. */
  now: () => number;
  /** How long to wait at most; until all has ended when left out. */
  patienceMs?: number;
}

/** Waits for the processing of memories of a run and tells of each when it begins and when it has ended. */
export async function awaitProcessing(
  context: StoreContext,
  memoryIds: Iterable<string>,
  { versions, ...options }: WaitOptions,
  emit: Emit,
): Promise<void> {
  for await (const memory of processed(context, memoryIds, options)) {
    const path = versions.stored.get(memory.memoryId) ?? memory.memoryId;
    await emit({ kind: hasEnded(memory.processingStatus) ? 'processed' : 'processing', path, memory });
  }
}

/**
 * Yields each memory when its processing has begun and once it has ended, COMPLETED or FAILED, with its history.
 */
async function* processed(
  context: StoreContext,
  memoryIds: Iterable<string>,
  { now, patienceMs = Number.POSITIVE_INFINITY }: Pick<WaitOptions, 'now' | 'patienceMs'>,
): AsyncGenerator<Memory> {
  const pending = new Set(memoryIds);
  const begun = new Set<string>();
  let pollMs = FIRST_POLL_MS;
  const began = now();
  let lastChange = began;
  while (pending.size > 0) {
    let isMoving = false;
    for (const memory of await poll(context, [...pending].slice(0, MOST_PER_BATCH))) {
      const { memoryId, processingStatus } = memory;
      const hasBegun = processingStatus === ProcessingStatus.PROCESSING && !begun.has(memoryId);
      if (hasBegun) begun.add(memoryId);
      if (hasEnded(processingStatus)) pending.delete(memoryId);
      if (!hasBegun && !hasEnded(processingStatus)) continue;
      isMoving = true;
      yield memory;
    }
    if (isMoving) lastChange = now();
    if (pending.size === 0 || now() - began > patienceMs) return;
    if (now() - lastChange > STANDSTILL_MS) throw standstill(pending.size);
    await sleep(pollMs, undefined, { signal: context.signal });
    pollMs = Math.min(pollMs * 1.5, isMoving ? BUSY_POLL_MS : SLOWEST_POLL_MS);
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
      details: 'it was deleted while the command waited for its processing',
    });
  }
  return results.flatMap(({ memory }) => memory ?? []);
}

/** Not PENDING, not PROCESSING. */
export function hasEnded(processingStatus: ProcessingStatus | undefined): boolean {
  return processingStatus === ProcessingStatus.COMPLETED || processingStatus === ProcessingStatus.FAILED;
}

function standstill(count: number): CommandError {
  return new CommandError(`Still not processed: ${counted(count, 'memory')}`, {
    code: 'DEADLINE_EXCEEDED',
    exit: EXIT.tryLater,
    details: `nothing has changed for ${STANDSTILL_MS / 60_000} minutes`,
    next: 'They are stored; look at them later with: svc memories list SPACE',
  });
}
