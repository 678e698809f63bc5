import { setTimeout as sleep } from 'node:timers/promises';
import { type Memory, MemoryService, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../client/client.ts';
import { CommandError, EXIT } from '../failure.ts';
import { withRetries } from './retry.ts';

const FIRST_POLL_MS = 100;
const SLOWEST_POLL_MS = 2000;
/** The longest pause between two attempts of the server is ten minutes; nothing moving for longer means stuck. */
const STANDSTILL_MS = 15 * 60_000;
const MOST_PER_BATCH = 500;

export interface WaitOptions {
  signal: AbortSignal;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Yields each memory once its processing has ended, with its history when it failed. */
export async function* processed(
  client: Client,
  memoryIds: Iterable<string>,
  { signal, now }: WaitOptions,
): AsyncGenerator<Memory> {
  const pending = new Set(memoryIds);
  let pollMs = FIRST_POLL_MS;
  let lastChange = now();
  while (pending.size > 0) {
    const ended = (await poll(client, [...pending].slice(0, MOST_PER_BATCH), signal)).filter(hasEnded);
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
    await sleep(pollMs, undefined, { signal });
    pollMs = Math.min(pollMs * 1.5, SLOWEST_POLL_MS);
  }
}

async function poll(client: Client, memoryIds: readonly string[], signal: AbortSignal): Promise<Memory[]> {
  const request = { memoryIds: [...memoryIds], includeProcessingHistory: true };
  const { results } = await withRetries(() => client.call(MemoryService.method.batchGetMemory, request), signal);
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
