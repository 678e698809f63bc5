import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { mapBounded } from '../../shared/async/map-bounded.ts';
import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import { idInSpace } from '../kit/bulk/memory-id.ts';
import { batched, type NewMemory, type StoreContext, storeMemories } from '../kit/bulk/store-memories.ts';
import { given } from '../kit/flags/flag.ts';
import type { LocatedItem, MemoryItem } from './item.ts';
import type { TransferReport } from './report.ts';

export interface ImportOptions {
  /** The space that the memories go into, and the one that they come from. */
  spaceId: string;
  sourceId: string;
  /** Epoch milliseconds. */
  now: () => number;
}

interface Incoming extends NewMemory {
  at: string;
}

/** How far the items came. */
export interface Received {
  memories: number;
  chunks: number;
  /** What the end of the export says; undefined when it did not come. */
  end: { memories: number; chunks: number } | undefined;
}

/** Few, because each may hold the largest content there is. */
const PARALLEL = 2;

/** Creates the memories of an export that are not there yet, as they come. Chunks are passed over: the server makes them anew. */
export async function importItems(
  context: StoreContext,
  items: AsyncIterable<LocatedItem>,
  options: ImportOptions,
  report: TransferReport,
): Promise<Received> {
  const received: Received = { memories: 0, chunks: 0, end: undefined };
  const incoming = memoriesAmong(items, received, options, report);
  const { signal } = context;
  await mapBounded(batched(incoming), { limit: PARALLEL, signal }, (batch, ended) =>
    storeMemories({ ...context, signal: ended }, batch, async ({ at, bytes }, result) => {
      if (result.kind === 'failed') await report.fail(at, result.error);
      else await report.count(result.kind, bytes);
    }),
  );
  return received;
}

async function* memoriesAmong(
  items: AsyncIterable<LocatedItem>,
  received: Received,
  options: ImportOptions,
  report: TransferReport,
): AsyncGenerator<Incoming> {
  for await (const { at, item } of items) {
    if (item.kind === 'chunk') received.chunks += 1;
    if (item.kind === 'end') received.end = item;
    if (item.kind !== 'memory') continue;
    received.memories += 1;
    const { expiresAt } = item.memory;
    if (expiresAt !== undefined && timestampToMs(expiresAt) <= options.now()) await report.count('expired', 0);
    else yield { at, ...newMemory(item, options) };
  }
}

function newMemory({ memory, content }: MemoryItem, { spaceId, sourceId }: ImportOptions): NewMemory {
  const { contentType, originalContentRef, metadata, chunkingConfig, expiresAt } = memory;
  return {
    // In the space that it was in a memory keeps its id; elsewhere the id may be taken, by the original for one.
    memoryId: spaceId === sourceId ? memory.memoryId : idInSpace(spaceId, memory),
    spaceId,
    bytes: content.length,
    rest: {
      contentType,
      originalContent: content,
      extractPageImages: hasPageImages(memory),
      // 0 is never: the retention of the space must not shorten what had no end.
      expiresAt: expiresAt ?? create(TimestampSchema),
      ...given({ originalContentRef, metadata, chunkingConfig }),
    },
  };
}

function hasPageImages({ pageImageCount, pageImageStatus }: Memory): boolean {
  return pageImageCount > 0 || pageImageStatus > ProcessingStatus.PENDING;
}
