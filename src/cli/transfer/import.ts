import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { mapBounded } from '../../shared/async/map-bounded.ts';
import { ERROR_CODES } from '../../shared/errors.ts';
import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Space } from '../../shared/gen/service/v1/space_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import { idInSpace } from '../kit/bulk/memory-id.ts';
import { batched, type MemoryToCreate, type StoreContext, storeMemories } from '../kit/bulk/store-memories.ts';
import type { CommandContext } from '../kit/command.ts';
import { CommandError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { inputBytes, inputName } from '../kit/input/read-input.ts';
import { writeRecord } from '../kit/output/records.ts';
import { spaceView } from '../spaces/view.ts';
import { type LocatedItem, type MemoryItem, readItems, type SpaceItem } from './format.ts';
import { openTransfer, type TransferReport } from './report.ts';
import { openTarget, type TargetOptions, type TargetSpace } from './target.ts';

interface ImportOptions extends TargetOptions {
  /** `-` for stdin. */
  file: string;
}

/** Makes a space from a file that an export wrote, and writes its record. Returns the exit code. */
export async function importSpace(context: CommandContext, { file, name, embedders }: ImportOptions): Promise<number> {
  const { io, signal } = context;
  const source = inputName(file);
  const { store, report } = await openTransfer(context);
  const bytes = await sizeOfFile(io.cwd, file);
  let read = 0;
  if (bytes > 0) report.progress.measure(() => read / bytes);
  const input = passing(inputBytes(io, file, signal), (length) => {
    read += length;
  });
  const items = readItems(input, source);
  const space = await receive(store, items, { name, embedders, source, now: io.now }, report);
  await writeRecord(io, spaceView, space);
  return report.exit;
}

/** 0 for what has no size: stdin, pipes, and files that are not there, which the reader tells. */
async function sizeOfFile(cwd: string, file: string): Promise<number> {
  if (file === '-') return 0;
  return stat(resolve(cwd, file)).then(
    ({ size }) => size,
    () => 0,
  );
}

async function* passing(
  input: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    onBytes(piece.length);
    yield piece;
  }
}

interface ReceiveOptions extends TargetOptions {
  /** Names what is read, in errors. */
  source: string;
  /** Called before anything is made; throws what forbids the transfer. */
  check?: (space: Space) => void;
  /** Epoch milliseconds. */
  now: () => number;
}

/**
 * Puts the space and the memories that come into the target and says what became of them. Returns the target space.
 *
 * @throws CommandError (exit 65) for items that do not begin with a space, or that stop before their end. What came
 *   before is stored then.
 */
export async function receive(
  context: StoreContext,
  items: AsyncGenerator<LocatedItem>,
  options: ReceiveOptions,
  report: TransferReport,
): Promise<Space> {
  const { source, now } = options;
  const { from, target } = await begin(context, items, options, report);
  const { space, existed } = target;
  options.check?.(space);
  if (existed) await report.note(`The space ${space.name} exists already: it gets the memories that it lacks.`);
  let stopped: { error: unknown } | undefined;
  try {
    const sourceId = from.space.spaceId;
    const received = await importItems(context, items, { spaceId: space.spaceId, sourceId, now }, report);
    requireWhole(received, source);
  } catch (error) {
    stopped = { error };
    throw error;
  } finally {
    await report.end(stopped, context.signal.aborted);
  }
  return space;
}

/** Reads the space and opens the one that it goes into. */
async function begin(
  { client, signal }: StoreContext,
  items: AsyncGenerator<LocatedItem>,
  options: ReceiveOptions,
  report: TransferReport,
): Promise<{ from: SpaceItem; target: TargetSpace }> {
  try {
    const from = await spaceAtStart(items, options.source);
    return { from, target: await openTarget(client, from, options) };
  } finally {
    if (signal.aborted) await report.note('Interrupted before any memory was stored');
  }
}

async function spaceAtStart(items: AsyncGenerator<LocatedItem>, source: string): Promise<SpaceItem> {
  const first = await items.next();
  if (first.done !== true && first.value.item.kind === 'space') return first.value.item;
  throw new CommandError(`${source} is not an export of a space`, {
    code: 'INVALID_ARGUMENT',
    exit: ERROR_CODES.INVALID_ARGUMENT.exit,
    details: first.done === true ? 'it is empty' : 'its first line is not the record of a space',
    next: 'Make one with: svc spaces export SPACE FILE',
  });
}

function requireWhole({ memories, chunks, end }: Received, source: string): void {
  if (end !== undefined && end.memories === memories && end.chunks === chunks) return;
  const details =
    end === undefined
      ? `it stops after ${memories} memories, without the last line of an export`
      : `its last line says ${end.memories} memories and ${end.chunks} chunks, but it has ${memories} and ${chunks}`;
  throw new CommandError(`${source} is not a complete export`, {
    code: 'INVALID_ARGUMENT',
    exit: ERROR_CODES.INVALID_ARGUMENT.exit,
    details,
    next: 'What it contains is stored. Make the export again, and import that for the rest',
  });
}

interface ItemOptions {
  /** The space that the memories go into, and the one that they come from. */
  spaceId: string;
  sourceId: string;
  /** Epoch milliseconds. */
  now: () => number;
}

interface Incoming extends MemoryToCreate {
  at: string;
}

/** How far the items came. */
interface Received {
  memories: number;
  chunks: number;
  /** What the end of the export says; undefined when it did not come. */
  end: { memories: number; chunks: number } | undefined;
}

/** Few, because each may hold the largest content there is. */
const PARALLEL = 2;

/** Creates the memories of an export that are not there yet, as they come. Chunks are passed over: the server makes them anew. */
async function importItems(
  context: StoreContext,
  items: AsyncIterable<LocatedItem>,
  options: ItemOptions,
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
  options: ItemOptions,
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

function newMemory({ memory, content }: MemoryItem, { spaceId, sourceId }: ItemOptions): MemoryToCreate {
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
