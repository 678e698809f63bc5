import type { MessageInitShape } from '@bufbuild/protobuf';
import { ServiceError } from '../../shared/errors.ts';
import { type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { ChunkingConfigSchema } from '../../shared/gen/service/v1/space_pb.ts';
import type { Client } from '../client/client.ts';
import { given } from '../flags/optional.ts';
import { type Document, readDocument } from './document.ts';
import type { FoundFile } from './find-files.ts';
import { withRetries } from './retry.ts';

export interface UploadOptions {
  spaceId: string;
  contentType: string | undefined;
  metadata: Readonly<Record<string, string>>;
  chunkingConfig: MessageInitShape<typeof ChunkingConfigSchema> | undefined;
  extractPageImages: boolean;
  /** Only say what would be done. */
  dryRun: boolean;
  /** Files under way at once. */
  parallel: number;
  signal: AbortSignal;
}

/** What became of one file. */
export type Outcome =
  | { kind: 'uploaded'; path: string; memory: Memory }
  | { kind: 'unchanged'; path: string; memory: Memory }
  | { kind: 'would upload'; path: string; document: Document }
  | { kind: 'skipped'; path: string; reason: string }
  | { kind: 'failed'; path: string; error: unknown };

/** Enough for the largest content on a line of three megabits a second. */
const UPLOAD_TIMEOUT_MS = 900_000;

/** Errors that every further file would meet too. */
const HOPELESS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'UNAVAILABLE']);

/**
 * Uploads files, several at once, and yields what became of each as it is known. A failure that concerns one file is an
 * outcome; one that concerns all of them is thrown.
 */
export async function* uploadFiles(
  client: Client,
  files: readonly FoundFile[],
  options: UploadOptions,
): AsyncGenerator<Outcome> {
  const waiting = [...files];
  const running = new Map<Promise<Outcome>, Promise<[Promise<Outcome>, Outcome]>>();
  const start = (file: FoundFile): void => {
    const job = uploadFile(client, file, options);
    running.set(
      job,
      job.then((outcome) => [job, outcome]),
    );
  };
  try {
    while (waiting.length > 0 || running.size > 0) {
      for (const file of waiting.splice(0, options.parallel - running.size)) start(file);
      const [job, outcome] = await Promise.race(running.values());
      running.delete(job);
      yield outcome;
    }
  } finally {
    // After a failure the others are still under way; their failures have nowhere to go.
    await Promise.allSettled(running.values());
  }
}

async function uploadFile(client: Client, file: FoundFile, options: UploadOptions): Promise<Outcome> {
  const { path } = file;
  try {
    const document = await readDocument(file, options);
    if (document === undefined) return { kind: 'skipped', path, reason: 'neither text nor of a known type' };
    return await uploadDocument(client, document, options);
  } catch (error) {
    if (options.signal.aborted || (error instanceof ServiceError && HOPELESS.has(error.code))) throw error;
    return { kind: 'failed', path, error };
  }
}

/** Content up to this size is sent without asking first: one call for a new file, against the 600 calls a minute of a key. */
const SENT_UNASKED_BYTES = 65_536;

/** Uploads a document unless the server has it, which its id tells. Large content is not sent to find that out. */
export async function uploadDocument(client: Client, document: Document, options: UploadOptions): Promise<Outcome> {
  const { path, memoryId, contentType, content } = document;
  const { spaceId, signal } = options;
  const asks = options.dryRun || content.length > SENT_UNASKED_BYTES;
  const existing = asks ? await withRetries(() => findMemory(client, memoryId), signal) : undefined;
  if (existing !== undefined) return { kind: 'unchanged', path, memory: existing };
  if (options.dryRun) return { kind: 'would upload', path, document };
  const request = {
    spaceId,
    memoryId,
    contentType,
    originalContent: content,
    extractPageImages: options.extractPageImages,
    metadata:
      path === '-' ? { ...options.metadata } : { filename: path.split('/').at(-1) ?? path, path, ...options.metadata },
    ...given({ chunkingConfig: options.chunkingConfig }),
  };
  try {
    const memory = await withRetries(
      () => client.call(MemoryService.method.createMemory, request, { timeoutMs: UPLOAD_TIMEOUT_MS }),
      signal,
    );
    return { kind: 'uploaded', path, memory };
  } catch (error) {
    // Someone else was faster, or the answer to an earlier try got lost: it is there, and that is what was wanted.
    if (!(error instanceof ServiceError && error.code === 'ALREADY_EXISTS')) throw error;
    const memory = await findMemory(client, memoryId);
    if (memory === undefined) throw error;
    return { kind: 'unchanged', path, memory };
  }
}

async function findMemory(client: Client, memoryId: string): Promise<Memory | undefined> {
  try {
    return await client.call(MemoryService.method.getMemory, { memoryId });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
