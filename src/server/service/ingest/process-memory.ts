import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { openScope } from '../../../shared/async/deadline.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { CONTENT_PART_BYTES, selectContentSlice } from '../../store/content.ts';
import type { Db } from '../../store/db.ts';
import type { ClaimedJob, Lease } from '../../store/jobs.ts';
import { beginProcessing, type ProcessedMemory } from '../../store/processing.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { ExtractionError, WorkerTimeout } from '../../workers/errors.ts';
import { recognize } from '../../workers/extract/recognize.ts';
import type { PrepareInput } from '../../workers/prepare-content.ts';
import type { PreparedContent } from '../../workers/prepared-content.ts';
import { transferables } from '../../workers/transferables.ts';
import type { OpenEmbedder } from '../targets/open-target.ts';
import { type ChunkBatch, chunkBatches } from './chunk-batches.ts';
import type { IngestDeps, JobDeps } from './deps.ts';
import { embedTexts } from './embed-texts.ts';
import { LeaseLost } from './failed-attempt.ts';
import { textParts } from './text-parts.ts';
import { createMemoryWriter, type EmbeddedBatch, type MemoryWriter } from './write-memory.ts';

/**
 * Timeout of extraction and chunking. The slowest benign case, counting the tokens of random words, takes 10 s per MiB
 * while two other threads are busy; loading the token counter takes a second.
 */
const PREPARE_MS = { base: 10_000, perMiB: 15_000, most: 120_000 };
/** Chunks per transaction. Fewer on the embedded engine, where all other calls wait for its only session. */
export const BATCH_CHUNKS = { one: 64, many: 256 } as const;
/** What a failed attempt leaves for the next one. */
export interface Progress {
  /** Whether the attempt has stored chunks. */
  hasAdvanced: boolean;
  /** Digest of the input of the chunks; null when the attempt failed before it was known. */
  preparedDigest: Buffer | null;
}

/**
 * One attempt of a job: read, extract, chunk, embed, write. Continues after the chunks that an earlier attempt has stored
 * if the new ones are equal, so that a long text makes progress in every attempt even if the provider throttles.
 * Throws LeaseLost, and the error of any step.
 */
export async function processMemory(
  deps: JobDeps,
  job: ClaimedJob,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const memory = await beginProcessing(db.background, job, { maxInlineBytes: CONTENT_PART_BYTES }, { signal });
  if (memory === undefined) throw new LeaseLost();
  // An earlier attempt has stored the text, so without an available embedder there is nothing to do. They are read again
  // once the content is prepared, which may take minutes: a change of one of them counts at once.
  if (memory.hasRemains && !deps.circuits.isEmpty) {
    deps.circuits.check(recordsOf(await deps.targets.embedders(memory.embedderIds, signal)), job);
  }
  const writer = createMemoryWriter(db, job, signal);
  const before = memory.preparedDigest;
  if (memory.hasRemains && before === null) await writer.removeRemains(memory.embedderIds);
  const content = await prepare(deps, job, memory, signal);
  // A text of one part is written with the last batch; a longer one, or one whose embedding fails, before it.
  const isLong = content.text.length > CONTENT_PART_BYTES;
  try {
    const embedders = await deps.targets.embedders(memory.embedderIds, signal);
    const digest = digestOf(content, embedders);
    const continues = before?.equals(digest) === true;
    const replaces = memory.hasRemains && before !== null && !continues;
    if (replaces) await writer.removeRemains(memory.embedderIds);
    progress.preparedDigest = digest;
    if (isLong) await writeText(writer, content);
    const first = continues ? memory.storedChunks : 0;
    const areStale = replaces || isLong;
    await writeChunks(deps, { job, embedders, areStale, content, writer, first, withText: !isLong, progress }, signal);
  } catch (error) {
    // The text is useful without vectors. An error while storing it must not hide the original failure.
    if (!signal.aborted && !(error instanceof LeaseLost)) await writeText(writer, content).catch(() => undefined);
    throw error;
  }
}

/** Digest of the text, its chunks and the current versions of the embedders. */
export function digestOf(content: PreparedContent, embedders: readonly OpenEmbedder[]): Buffer {
  const versions = JSON.stringify(recordsOf(embedders).map(({ id, updatedAt }) => [id, updatedAt]));
  return createHash('sha256').update(content.digest).update(versions).digest();
}

function recordsOf(embedders: readonly OpenEmbedder[]) {
  return embedders.map(({ record }) => record);
}

interface Run {
  job: ClaimedJob;
  /** The embedders of the space. */
  embedders: readonly OpenEmbedder[];
  /** Whether something was written since they were read: then the first batch reads them again. */
  areStale: boolean;
  content: PreparedContent;
  writer: MemoryWriter;
  /** Sequence of the first chunk to embed. */
  first: number;
  /** Whether the last batch also writes the text. */
  withText: boolean;
  progress: Progress;
}

/** Embeds each batch while the previous one is being written. */
async function writeChunks(deps: JobDeps, run: Run, signal: AbortSignal): Promise<void> {
  const { content, writer } = run;
  const batches = chunkBatches(content, BATCH_CHUNKS[deps.db.capabilities.sessions], run.first);
  const ahead = openScope({ signal });
  setMaxListeners(0, ahead.signal);
  const ids = run.embedders.map(({ row }) => row.id);
  let isFirst = true;
  const next = (): Promise<EmbeddedBatch> | undefined => {
    const { value } = batches.next() as IteratorResult<ChunkBatch, undefined>;
    // A change of an embedder takes effect with the next batch.
    const find = isFirst && !run.areStale ? async () => run.embedders : () => deps.targets.embedders(ids, ahead.signal);
    isFirst = false;
    const embedded = value && embedBatch(deps, run.job, { batch: value, find }, ahead.signal);
    // A failure is handled when the batch is awaited; until then it must not be an unhandled rejection.
    embedded?.catch(() => undefined);
    return embedded;
  };
  try {
    for (let current = next(); current !== undefined; ) {
      const batch = await current;
      current = next();
      const text = batch.isLast && run.withText ? textParts(content.text).next().value : undefined;
      await writer.writeBatch(batch, content.starts.length, text ?? undefined);
      run.progress.hasAdvanced = true;
    }
  } finally {
    ahead.close();
    ahead.controller.abort(new DOMException('The attempt has ended', 'AbortError'));
  }
}

/**
 * Vectors of a batch from every embedder of the space. Rejects with the first failure; the signal aborts the other calls.
 * Throws CircuitOpen without a call when one of them is known to be unavailable.
 */
async function embedBatch(
  deps: JobDeps,
  job: ClaimedJob,
  { batch, find }: { batch: ChunkBatch; find: () => Promise<readonly OpenEmbedder[]> },
  signal: AbortSignal,
): Promise<EmbeddedBatch> {
  if (batch.chunks.length === 0) return { ...batch, vectors: [] };
  const embedders = await find();
  deps.circuits.check(recordsOf(embedders), job);
  const texts = batch.chunks.map(({ text }) => text);
  const vectors = await Promise.all(
    embedders.map(async (embedder) => ({
      embedderId: embedder.record.id,
      vectors: await embedTexts(deps, embedder, texts, signal),
    })),
  );
  return { ...batch, vectors };
}

/** Stores the whole text, part by part. */
export async function writeText(writer: MemoryWriter, content: PreparedContent): Promise<void> {
  for (const part of textParts(content.text)) await writer.writeText(part);
}

async function prepare(deps: IngestDeps, lease: ClaimedJob, memory: ProcessedMemory, signal: AbortSignal) {
  const parts = memory.onlyPart === null ? await readParts(deps.db, lease, memory, signal) : [memory.onlyPart];
  const input = prepareInput(deps, memory, parts);
  const transfer = parts.flatMap((part) => transferables(part));
  const timeoutMs = Math.min(PREPARE_MS.most, PREPARE_MS.base + PREPARE_MS.perMiB * (memory.contentLength / 1_048_576));
  try {
    return await deps.workers.run('prepareContent', input, { signal, timeoutMs, transfer, owner: lease.ownerId });
  } catch (error) {
    if (!(error instanceof WorkerTimeout)) throw error;
    const seconds = Math.round(timeoutMs / 1000);
    const message = `Extraction and chunking took longer than ${seconds} s, the limit for content of this size`;
    throw new ExtractionError(message, { cause: error });
  }
}

/** What a worker thread needs to prepare this content. */
export function prepareInput(
  { settings }: Pick<IngestDeps, 'settings'>,
  { contentType, chunkingConfig }: ProcessedMemory,
  parts: readonly Uint8Array[],
): PrepareInput {
  const { outputCharacters } = settings.ooxmlLimitsJson.extraction;
  return { contentType, parts, chunking: chunkingConfig as ChunkingConfig, limits: { outputCharacters } };
}

async function readParts(db: Db, { spaceId }: Lease, memory: ProcessedMemory, signal: AbortSignal): Promise<Buffer[]> {
  const { contentId, contentLength, contentType } = memory;
  const parts: Buffer[] = [];
  for (let part = 0; part * CONTENT_PART_BYTES < contentLength; part += 1) {
    const slice = { part, start: 0, end: CONTENT_PART_BYTES };
    const data = await selectContentSlice(db.background, { spaceId, contentId }, slice, { signal });
    if (data === undefined) throw new ServiceError('INTERNAL', `Part ${part} of the content is missing`);
    // Content that has no text is refused before all of it is in memory.
    if (part === 0) recognize(contentType, [data]);
    parts.push(data);
  }
  return parts;
}
