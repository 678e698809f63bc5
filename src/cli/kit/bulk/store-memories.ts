import type { MessageInitShape } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import {
  type CreateMemoryRequestSchema,
  type Memory,
  MemoryService,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { itemError } from '../client/call-errors.ts';
import type { Client } from '../client/client.ts';
import { hasCode } from '../errors.ts';
import type { Gate } from './gate.ts';

/** A memory to be created under an id that its source decides, so that a repeat finds it instead of making a second one. */
export interface MemoryToCreate {
  memoryId: string;
  spaceId: string;
  /** Everything else of the request. */
  rest: MessageInitShape<typeof CreateMemoryRequestSchema>;
  /** Of its content. */
  bytes: number;
}

/** What became of one of them. `present`: the space had it. */
type StoreResult = { kind: 'stored' | 'present'; memory: Memory } | { kind: 'failed'; error: unknown };

export interface StoreContext {
  client: Client;
  gate: Gate;
  signal: AbortSignal;
}

/** Content up to this size is sent without asking first: one call, against the 600 calls a minute of a key. */
const SENT_UNASKED_BYTES = 65_536;
/** Enough for the largest content on a line of three megabits a second. */
const STORE_TIMEOUT_MS = 900_000;
const MOST_READ = 500;

/** Errors that every further memory would meet too. NOT_FOUND of a create is the space. */
const HOPELESS = ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'UNAVAILABLE', 'NOT_FOUND'] as const;

function isHopeless(error: unknown): boolean {
  return hasCode(error, ...HOPELESS);
}

/**
 * Creates memories in one batch and calls `settle` with the index of each as soon as its fate is known. What the space has
 * already is not sent when that would cost more than asking. Failures of single memories are results; those that all of
 * them would meet are thrown.
 */
export async function storeMemories<M extends MemoryToCreate>(
  context: StoreContext,
  memories: readonly M[],
  settle: Settle<M>,
): Promise<void> {
  const bytes = memories.reduce((sum, memory) => sum + memory.bytes, 0);
  const present = bytes > SENT_UNASKED_BYTES ? await findMemories(context, memories.map(idOf)) : new Map();
  const missing: M[] = [];
  for (const memory of memories) {
    const found = present.get(memory.memoryId);
    if (found === undefined) missing.push(memory);
    else await settle(memory, presentIn(memory, found));
  }
  if (missing.length > 0) await createBatch(context, missing, settle);
}

/** The memories that exist and may be read, by id. */
export async function findMemories(
  { client, gate, signal }: StoreContext,
  memoryIds: readonly string[],
): Promise<Map<string, Memory>> {
  const found = new Map<string, Memory>();
  for (let at = 0; at < memoryIds.length; at += MOST_READ) {
    const request = { memoryIds: memoryIds.slice(at, at + MOST_READ) };
    const { results } = await gate.run(
      () => client.call(MemoryService.method.batchGetMemory, request, { signal }),
      signal,
    );
    for (const { memory } of results) if (memory !== undefined) found.set(memory.memoryId, memory);
  }
  return found;
}

function idOf({ memoryId }: MemoryToCreate): string {
  return memoryId;
}

function presentIn({ spaceId, memoryId }: MemoryToCreate, memory: Memory): StoreResult {
  if (memory.spaceId === spaceId || memory.spaceId === '') return { kind: 'present', memory };
  const error = new ServiceError('ALREADY_EXISTS', `The id ${memoryId} is taken in another space, ${memory.spaceId}`);
  return { kind: 'failed', error };
}

type Settle<M> = (memory: M, result: StoreResult) => Promise<void>;

async function createBatch<M extends MemoryToCreate>(
  context: StoreContext,
  memories: readonly M[],
  settle: Settle<M>,
): Promise<void> {
  const left = new Set(memories);
  const taken: M[] = [];
  let hopeless: unknown;
  try {
    await sendUntilAnswered(context, memories, async (memory, result) => {
      left.delete(memory);
      if (result.kind === 'failed' && hasCode(result.error, 'ALREADY_EXISTS')) taken.push(memory);
      else if (result.kind === 'failed' && isHopeless(result.error)) hopeless ??= result.error;
      else await settle(memory, result);
    });
  } catch (error) {
    if (context.signal.aborted || isHopeless(error)) throw error;
    await createOneByOne(context, [...left], error, settle);
  }
  if (hopeless !== undefined) throw hopeless;
  if (taken.length > 0) await settleTaken(context, taken, settle);
}

/** A call that failed as a whole says nothing about its items: too large together, or one that upsets the server. */
async function createOneByOne<M extends MemoryToCreate>(
  context: StoreContext,
  memories: readonly M[],
  error: unknown,
  settle: Settle<M>,
): Promise<void> {
  const [only] = memories;
  if (only !== undefined && memories.length === 1) return settle(only, { kind: 'failed', error });
  for (const memory of memories) await createBatch(context, [memory], settle);
}

/** Another client was faster, or the answer to an earlier try got lost: they exist, as intended. */
async function settleTaken<M extends MemoryToCreate>(
  context: StoreContext,
  taken: readonly M[],
  settle: Settle<M>,
): Promise<void> {
  const found = await findMemories(context, taken.map(idOf));
  for (const memory of taken) {
    const there = found.get(memory.memoryId);
    const error = new ServiceError(
      'ALREADY_EXISTS',
      `The id ${memory.memoryId} is taken by a memory that this key may not read`,
    );
    await settle(memory, there === undefined ? { kind: 'failed', error } : presentIn(memory, there));
  }
}

/** Items that met a server on its way down are sent again with the next try, the others are settled. */
async function sendUntilAnswered<M extends MemoryToCreate>(
  { client, gate, signal }: StoreContext,
  memories: readonly M[],
  settle: Settle<M>,
): Promise<void> {
  let left = memories;
  await gate.run(async () => {
    const requests = left.map(({ memoryId, spaceId, rest }) => ({ ...rest, memoryId, spaceId }));
    const { results } = await client.call(
      MemoryService.method.batchCreateMemory,
      { requests },
      { timeoutMs: STORE_TIMEOUT_MS, signal },
    );
    gate.answered();
    const again: M[] = [];
    let refused: unknown;
    for (const [index, memory] of left.entries()) {
      const { success = false, memory: record, error: status } = results[index] ?? {};
      const error = success ? undefined : itemError(status);
      if (error === undefined && record !== undefined) await settle(memory, { kind: 'stored', memory: record });
      else if (hasCode(error, 'UNAVAILABLE')) {
        again.push(memory);
        refused ??= error;
      } else await settle(memory, { kind: 'failed', error: error ?? itemError(undefined) });
    }
    left = again;
    if (refused !== undefined) throw refused;
  }, signal);
}

/** A batch is answered before the next one shows progress, so it is kept well below what a call may carry. */
const MOST_ITEMS = 50;
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Puts neighbors together into batches that one call carries; what is larger than a batch goes alone. When the items
 * fail to come, those that came are a last batch before the failure is thrown.
 */
export async function* batched<T extends { bytes: number }>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  let broken: { error: unknown } | undefined;
  try {
    for await (const item of items) {
      if (batch.length > 0 && (batch.length === MOST_ITEMS || bytes + item.bytes > MOST_BYTES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(item);
      bytes += item.bytes;
    }
  } catch (error) {
    broken = { error };
  }
  if (batch.length > 0) yield batch;
  if (broken !== undefined) throw broken.error;
}
