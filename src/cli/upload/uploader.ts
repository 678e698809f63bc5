import type { MessageInitShape } from '@bufbuild/protobuf';
import { mapBounded } from '../../shared/async/map-bounded.ts';
import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { ChunkingConfigSchema } from '../../shared/gen/service/v1/space_pb.ts';
import { SYNC_SOURCE } from '../kit/bulk/memory-id.ts';
import {
  batched,
  findMemories,
  type MemoryToCreate,
  type StoreContext,
  storeMemories,
} from '../kit/bulk/store-memories.ts';
import { given } from '../kit/flags/flag.ts';
import type { SizeLimit } from '../kit/input/read-file.ts';
import { type Document, readDocument } from './document.ts';
import type { Earlier, Emit, Mirror } from './events.ts';
import type { FoundFile } from './find-files.ts';
import { deleteMatchingMemories } from './matching-memories.ts';
import type { StoredVersions } from './versions.ts';

export interface UploadOptions {
  spaceId: string;
  contentType: string | undefined;
  metadata: Readonly<Record<string, string>>;
  chunkingConfig: MessageInitShape<typeof ChunkingConfigSchema> | undefined;
  extractPageImages: boolean;
  /** Only report what would be done. */
  dryRun: boolean;
  /** Batches under way at once. */
  parallel: number;
  /** Of the content of one file. */
  limit: SizeLimit;
  /** Leave earlier versions of the paths where they are. */
  keepOld: boolean;
  /** The space is to follow a folder. */
  mirror?: Mirror;
  /** What the space has of the files, when it was read before. */
  stored?: StoredVersions;
}

/** Larger files are read and sent one after the other, whatever runs beside them: each is in memory as a whole. */
const ALONE_BYTES = 16 * 1024 * 1024;

/**
 * Uploads files in batches, several batches at once, and tells what became of each file. A failure that concerns one file
 * is an outcome; one that all of them would meet is thrown.
 */
export async function uploadFiles(
  context: StoreContext,
  files: readonly FoundFile[],
  options: UploadOptions,
  emit: Emit,
): Promise<void> {
  let turn: Promise<unknown> = Promise.resolve();
  const { parallel } = options;
  await mapBounded(batched(files), { limit: parallel, signal: context.signal }, (batch, signal) => {
    const upload = () => uploadBatch({ ...context, signal }, batch, options, emit);
    if ((batch[0]?.bytes ?? 0) <= ALONE_BYTES) return upload();
    const mine = turn.then(upload);
    turn = mine.catch(() => {});
    return mine;
  });
}

async function uploadBatch(
  context: StoreContext,
  files: readonly FoundFile[],
  options: UploadOptions,
  emit: Emit,
): Promise<void> {
  const documents: Document[] = [];
  const overtaken: Earlier[] = [];
  for (const file of files) {
    context.signal.throwIfAborted();
    const { path, bytes } = file;
    await emit({ kind: 'started', path, bytes });
    try {
      const document = await readDocument(file, { ...options, signal: context.signal });
      const reason = 'neither text nor of a known type';
      const memory = document && options.stored?.find(path, document.content);
      if (document !== undefined && memory !== undefined && isToBeRenewed(path, memory, options)) {
        overtaken.push({ path, memoryId: memory.memoryId });
        documents.push(document);
      } else if (memory !== undefined)
        await emit({ kind: 'outcome', outcome: { kind: 'unchanged', path, bytes, memory } });
      else if (document !== undefined) documents.push(document);
      else await emit({ kind: 'outcome', outcome: { kind: 'skipped', path, bytes, reason } });
    } catch (error) {
      context.signal.throwIfAborted();
      await emit({ kind: 'outcome', outcome: { kind: 'failed', path, bytes, error } });
    }
  }
  await deleteMatchingMemories(context, overtaken, {
    settle: async (earlier, error) => {
      if (error !== undefined) await emit({ kind: 'deleting failed', earlier, isGone: false, error });
    },
  });
  if (documents.length > 0) await uploadDocuments(context, documents, options, emit);
}

/**
 * Versions give way in the order of their creation. A file that is again what it was before a later version, which can be
 * found, has to be stored anew to be the latest.
 */
function isToBeRenewed(path: string, memory: Memory, { stored, keepOld, dryRun }: UploadOptions): boolean {
  return !keepOld && !dryRun && (stored?.isOvertaken(path, memory) ?? false);
}

/** Uploads what the space does not have yet, which the ids tell, in one batch. */
export async function uploadDocuments(
  context: StoreContext,
  documents: readonly Document[],
  options: UploadOptions,
  emit: Emit,
): Promise<void> {
  if (options.dryRun) return tryDocuments(context, documents, emit);
  const memories = documents.map((document) => ({
    ...newMemory(document, options),
    path: document.path,
    isConverted: document.isConverted,
  }));
  await storeMemories(context, memories, async ({ path, bytes, isConverted }, result) => {
    if (result.kind === 'failed') return emit({ kind: 'outcome', outcome: { ...result, path, bytes } });
    const { memory } = result;
    const outcome =
      result.kind === 'stored' ? ({ kind: 'uploaded', isConverted } as const) : ({ kind: 'unchanged' } as const);
    return emit({ kind: 'outcome', outcome: { ...outcome, path, bytes, memory } });
  });
}

async function tryDocuments(context: StoreContext, documents: readonly Document[], emit: Emit): Promise<void> {
  const found = await findMemories(
    context,
    documents.map(({ memoryId }) => memoryId),
  );
  for (const document of documents) {
    const { path, content, memoryId } = document;
    const file = { path, bytes: content.length };
    const memory = found.get(memoryId);
    if (memory === undefined) await emit({ kind: 'outcome', outcome: { kind: 'would upload', ...file, document } });
    else await emit({ kind: 'outcome', outcome: { kind: 'unchanged', ...file, memory } });
  }
}

function newMemory({ path, memoryId, contentType, content }: Document, options: UploadOptions): MemoryToCreate {
  const { spaceId, chunkingConfig, extractPageImages, mirror } = options;
  const source = mirror === undefined ? {} : { [SYNC_SOURCE]: mirror.source };
  const own = path === '-' ? {} : { filename: path.split('/').at(-1) ?? path, path, ...source };
  return {
    memoryId,
    spaceId,
    bytes: content.length,
    rest: {
      contentType,
      originalContent: content,
      extractPageImages,
      // What finds them again is not to be overruled.
      metadata: mirror === undefined ? { ...own, ...options.metadata } : { ...options.metadata, ...own },
      ...given({ chunkingConfig }),
    },
  };
}
