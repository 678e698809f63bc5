import { CONTENT_PART_BYTES } from '../../store/content.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { type FinishedMemory, finishMemories } from '../../store/finish-memories.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import { loadProcessing, markProcessing, type ProcessedMemory } from '../../store/processing.ts';
import { fromWireError } from '../../workers/errors.ts';
import type { PreparedContent } from '../../workers/prepared-content.ts';
import type { OpenEmbedder } from '../targets/open-target.ts';
import { chunkBatches } from './chunk-batches.ts';
import type { JobDeps } from './deps.ts';
import { embedTogether } from './embed-together.ts';
import { LeaseLost } from './failed-attempt.ts';
import { BATCH_CHUNKS, digestOf, prepareInput } from './process-memory.ts';

/** Timeout of extraction and chunking of all contents together; benign ones take milliseconds. */
const PREPARE_TIMEOUT_MS = 5000;
/** A memory is shown as PROCESSING when its batch takes longer: most are COMPLETED by then, and a write is saved. */
const MARK_AFTER_MS = 250;

export interface FailedSmallJob {
  job: ClaimedJob;
  failure: unknown;
  /** What was extracted, if the attempt has come so far. */
  content: PreparedContent | undefined;
  /** Digest of the input of its chunks; null when the attempt failed before it was known. */
  preparedDigest: Buffer | null;
}

/** How the jobs of a batch have ended; one that is in no list has not. */
export interface BatchOutcome {
  finished: ClaimedJob[];
  failed: FailedSmallJob[];
}

/** A job whose text and chunks are known. */
interface PreparedJob {
  job: ClaimedJob;
  memory: ProcessedMemory;
  content: PreparedContent;
}

/**
 * One attempt of several small jobs of one claim: their contents are loaded by one statement, prepared in one turn of a
 * worker thread, embedded in shared calls, and written and ended in one transaction. What became of each is added to
 * `outcome` as it happens. A job that is not in there at the end has to be processed by itself: because it replaces or
 * continues what an earlier attempt has stored, because it has many chunks or a long text, or because something failed
 * that cannot be laid to one job. Throws LeaseLost and the reason of the signal.
 *
 * Nothing here counts as an attempt before it ends: if the content of one job crashes the process, all are found by their
 * expired leases, uncounted, and are then processed one by one, where each crash counts for its own job.
 */
export async function processBatch(
  deps: JobDeps,
  jobs: readonly ClaimedJob[],
  outcome: BatchOutcome,
  signal: AbortSignal,
): Promise<void> {
  const loaded = await loadProcessing(deps.db.background, jobs, { maxInlineBytes: CONTENT_PART_BYTES }, { signal });
  for (const job of jobs) if (!loaded.has(job.jobId)) fail(outcome, job, new LeaseLost());
  const prepared = await prepareAll(deps, jobs, loaded, outcome, signal);
  const embedderIds = [...new Set(prepared.flatMap(({ memory }) => memory.embedderIds))];
  const found = new Map((await deps.targets.embedders(embedderIds, signal)).map((open) => [open.row.id, open]));
  const marking = markLater(deps, jobs, signal);
  try {
    for (const group of groupsOf(prepared, BATCH_CHUNKS[deps.db.capabilities.sessions])) {
      await processGroup(deps, group, { found, outcome, marked: marking.settle }, signal);
    }
  } finally {
    await marking.settle();
  }
}

function fail(outcome: BatchOutcome, job: ClaimedJob, failure: unknown): void {
  outcome.failed.push({ job, failure, content: undefined, preparedDigest: null });
}

/** The jobs that can go on together, with their chunks. */
async function prepareAll(
  deps: JobDeps,
  jobs: readonly ClaimedJob[],
  loaded: ReadonlyMap<number, ProcessedMemory>,
  outcome: BatchOutcome,
  signal: AbortSignal,
): Promise<PreparedJob[]> {
  const fresh = jobs.flatMap((job) => {
    const memory = loaded.get(job.jobId);
    return memory === undefined || !isFresh(memory) ? [] : [{ job, memory }];
  });
  const [first] = fresh;
  if (first === undefined) return [];
  const inputs = fresh.map(({ memory }) =>
    prepareInput(deps, memory, memory.onlyPart === null ? [] : [memory.onlyPart]),
  );
  const options = { signal, timeoutMs: PREPARE_TIMEOUT_MS, owner: first.job.ownerId };
  const results = await deps.workers.run('prepareContents', inputs, options);
  return fresh.flatMap(({ job, memory }, index) => {
    const result = results[index];
    if (result !== undefined && 'content' in result) return [{ job, memory, content: result.content }];
    if (result !== undefined && 'error' in result) fail(outcome, job, fromWireError(result.error));
    return [];
  });
}

/** Whether nothing is stored that the attempt would have to replace, except a text that it may find to be the same. */
function isFresh({ hasRemains, storedChunks, preparedDigest }: ProcessedMemory): boolean {
  return !hasRemains || (storedChunks === 0 && preparedDigest !== null);
}

/** In runs of at most so many chunks; a job with more is left out. */
function* groupsOf(jobs: readonly PreparedJob[], maxChunks: number): Generator<PreparedJob[], void> {
  let group: PreparedJob[] = [];
  let chunks = 0;
  for (const item of jobs) {
    const count = item.content.starts.length;
    if (count > maxChunks) continue;
    if (chunks + count > maxChunks) {
      yield group;
      group = [];
      chunks = 0;
    }
    group.push(item);
    chunks += count;
  }
  if (group.length > 0) yield group;
}

interface GroupRun {
  found: ReadonlyMap<string, OpenEmbedder>;
  outcome: BatchOutcome;
  /** Resolves when no mark is being written any more. */
  marked: () => Promise<void>;
}

async function processGroup(
  deps: JobDeps,
  group: readonly PreparedJob[],
  { found, outcome, marked }: GroupRun,
  signal: AbortSignal,
): Promise<void> {
  const ready = group.flatMap((item) => {
    const embedders = item.memory.embedderIds.flatMap((id) => found.get(id) ?? []);
    const digest = digestOf(item.content, embedders);
    const { hasRemains, preparedDigest } = item.memory;
    if (hasRemains && preparedDigest?.equals(digest) !== true) return [];
    const chunks = [...chunkBatches(item.content, item.content.starts.length)].flatMap((batch) => batch.chunks);
    return [{ ...item, embedders, digest, chunks, texts: chunks.map(({ text }) => text) }];
  });
  const { vectors, failures } = await embedTogether(deps, ready, signal);
  await marked();
  const memories = ready.flatMap(({ job, content, chunks }) => {
    const own = vectors.get(job.jobId);
    const text = Buffer.from(content.text.buffer, content.text.byteOffset, content.text.byteLength).toString('utf8');
    return own === undefined ? [] : [{ lease: job, text, chunks, vectors: own }];
  });
  for (const [jobId, failure] of await writeTogether(deps, memories, signal)) failures.set(jobId, failure);
  for (const { job, content, digest } of ready) {
    if (failures.has(job.jobId)) {
      outcome.failed.push({ job, failure: failures.get(job.jobId), content, preparedDigest: digest });
    } else outcome.finished.push(job);
  }
}

/** Returns what each job that could not be written failed with: LeaseLost, or the error of its own transaction. */
async function writeTogether(
  { db }: Pick<JobDeps, 'db'>,
  memories: readonly FinishedMemory[],
  signal: AbortSignal,
): Promise<Map<number, unknown>> {
  const failures = new Map<number, unknown>();
  if (memories.length === 0) return failures;
  const oid = await db.halfvecOid();
  const write = (some: readonly FinishedMemory[]) =>
    db.background.withTx((tx) => finishMemories(tx, some, oid), { signal });
  try {
    const held = await write(memories);
    for (const { lease } of memories) if (!held.has(lease.jobId)) failures.set(lease.jobId, new LeaseLost());
  } catch (error) {
    signal.throwIfAborted();
    // One bad row must not cost the others their attempts. A database that is away is so for all.
    const isOfAll = error instanceof TransientDatabaseError && error.reason !== 'conflict';
    for (const memory of memories) {
      if (memories.length === 1 || isOfAll) failures.set(memory.lease.jobId, error);
      else for (const [jobId, own] of await writeTogether({ db }, [memory], signal)) failures.set(jobId, own);
    }
  }
  return failures;
}

/** Marks the memories of the jobs as PROCESSING after a while. `settle` ends that, and waits for a mark under way. */
function markLater({ db }: JobDeps, jobs: readonly ClaimedJob[], signal: AbortSignal): { settle(): Promise<void> } {
  let marking = Promise.resolve();
  const timer = setTimeout(() => {
    // Only for those who look: the next attempt or the end of this one sets the status anyhow.
    marking = markProcessing(db.background, jobs, { signal }).catch(() => undefined);
  }, MARK_AFTER_MS);
  return {
    settle() {
      clearTimeout(timer);
      return marking;
    },
  };
}
