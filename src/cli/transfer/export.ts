import { SortOrder } from '../../shared/gen/service/v1/common_pb.ts';
import { type Embedder, EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { type Chunk, type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { type Space, SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { batched, type StoreContext } from '../kit/bulk/store-memories.ts';
import { itemError } from '../kit/client/call-errors.ts';
import { pages } from '../kit/client/client.ts';
import type { CommandContext } from '../kit/command.ts';
import { hasCode } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { itemLine, type MemoryItem, type TransferItem } from './format.ts';
import { openOutput } from './output-file.ts';
import { type Moved, openTransfer, type TransferReport } from './report.ts';

interface ExportOptions {
  /** Name or id. */
  space: string;
  /** `-` for stdout. */
  file: string;
  /** Also the chunks with their vectors. */
  vectors: boolean;
  /** Replaces a file that is there. */
  force: boolean;
}

/** Writes a space with its memories to a file and says on stderr how it went. */
export async function exportSpace(
  context: CommandContext,
  { space, file, vectors, force }: ExportOptions,
): Promise<void> {
  const output = await openOutput(context.io, file, { force });
  const { store, report } = await openTransfer(context);
  const spaceId = await resolveSpace(store.client, space);
  let isWritten = false;
  try {
    if (context.io.showsProgress) report.progress.expect(await sizeOf(store, spaceId));
    await output(writtenLines(exportItems(store, spaceId, { vectors }), report));
    isWritten = true;
  } finally {
    await report.written(file, isWritten, context.signal.aborted);
  }
}

async function* writtenLines(items: AsyncIterable<TransferItem>, report: TransferReport): AsyncGenerator<string> {
  for await (const item of items) {
    yield itemLine(item);
    if (item.kind === 'memory') await report.count('written', item.content.length);
    if (item.kind === 'chunk') await report.countChunk();
  }
}

const { listMemories, batchGetMemory, getMemoryContent, listChunks } = MemoryService.method;
const MOST_PER_PAGE = 200;
const MOST_COUNTED = 500;
/** Vectors make chunks large: 200 with 4096 dimensions are 3 MB. */
const MOST_CHUNKS = 200;
/** Larger content is read as a stream. */
const MOST_IN_RECORD_BYTES = 2 * 1024 * 1024;

/** Everything in a space, oldest memory first. A batch of memories is in memory at a time, never the space. */
export async function* exportItems(
  context: StoreContext,
  spaceId: string,
  { vectors }: { vectors: boolean },
): AsyncGenerator<TransferItem> {
  const { client, gate, signal } = context;
  const space = await gate.run(() => client.call(SpaceService.method.getSpace, { spaceId }, { signal }), signal);
  yield { kind: 'space', space, embedders: await embeddersOf(context, space) };
  let memories = 0;
  const records = mapped(memoriesOf(context, spaceId), (memory) => ({
    memory,
    bytes: Number(memory.originalContentLength),
  }));
  for await (const batch of batched(records)) {
    for await (const item of withContent(
      context,
      batch.map(({ memory }) => memory),
    )) {
      memories += 1;
      yield item;
    }
  }
  let chunks = 0;
  for await (const chunk of vectors ? chunksOf(context, spaceId) : []) {
    chunks += 1;
    yield { kind: 'chunk', chunk };
  }
  yield { kind: 'end', memories, chunks };
}

async function* mapped<T, U>(items: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield map(item);
}

/** An embedder that is gone or belongs to another user is left out. */
async function embeddersOf({ client, gate, signal }: StoreContext, space: Space): Promise<Embedder[]> {
  const found: Embedder[] = [];
  for (const { embedderId } of space.spaceEmbedders) {
    try {
      const call = () => client.call(EmbedderService.method.getEmbedder, { embedderId }, { signal });
      found.push(await gate.run(call, signal));
    } catch (error) {
      if (!hasCode(error, 'NOT_FOUND', 'PERMISSION_DENIED')) throw error;
    }
  }
  return found;
}

/** What there is to export, as far as the records tell; only the progress bar needs it. */
export async function sizeOf(context: StoreContext, spaceId: string): Promise<Moved> {
  const size: Moved = { memories: 0, bytes: 0, chunks: 0 };
  for await (const { originalContentLength } of memoriesOf(context, spaceId, MOST_COUNTED)) {
    size.memories += 1;
    size.bytes += Number(originalContentLength);
  }
  return size;
}

function memoriesOf(
  { client, gate, signal }: StoreContext,
  spaceId: string,
  maxResults = MOST_PER_PAGE,
): AsyncGenerator<Memory> {
  return pages(async (_wanted, nextToken) => {
    const request = { spaceId, sortOrder: SortOrder.ASCENDING, maxResults, ...given({ nextToken }) };
    const response = await gate.run(() => client.call(listMemories, request, { signal }), signal);
    return { items: response.memories, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

function chunksOf({ client, gate, signal }: StoreContext, spaceId: string): AsyncGenerator<Chunk> {
  const scope = { case: 'spaceId', value: spaceId } as const;
  return pages(async (_wanted, nextToken) => {
    const request = { scope, includeVectors: true, maxResults: MOST_CHUNKS, ...given({ nextToken }) };
    const response = await gate.run(() => client.call(listChunks, request, { signal }), signal);
    return { items: response.chunks, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

/** The memories with their content. One that was deleted since it was listed is left out. */
async function* withContent(context: StoreContext, memories: readonly Memory[]): AsyncGenerator<MemoryItem> {
  const { client, gate, signal } = context;
  const [first] = memories;
  if (first !== undefined && Number(first.originalContentLength) > MOST_IN_RECORD_BYTES) {
    const content = await largeContent(context, first.memoryId);
    if (content !== undefined) yield { kind: 'memory', memory: first, content };
    return;
  }
  const request = { memoryIds: memories.map(({ memoryId }) => memoryId), includeContent: true };
  const { results } = await gate.run(() => client.call(batchGetMemory, request, { signal }), signal);
  for (const { success, error: status, memory } of results) {
    const error = success ? undefined : itemError(status);
    if (error !== undefined && error.code !== 'NOT_FOUND') throw error;
    if (memory === undefined) continue;
    const content = memory.originalContent ?? new Uint8Array();
    delete memory.originalContent;
    yield { kind: 'memory', memory, content };
  }
}

async function largeContent({ client, gate, signal }: StoreContext, memoryId: string): Promise<Buffer | undefined> {
  const read = async (): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    for await (const { data } of client.stream(getMemoryContent, { memoryId }, { signal })) parts.push(data);
    return Buffer.concat(parts);
  };
  try {
    return await gate.run(read, signal);
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}
