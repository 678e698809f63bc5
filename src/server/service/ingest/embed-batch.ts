import type { ClaimedJob } from '../../store/jobs.ts';
import type { ChunkBatch } from './chunk-batches.ts';
import type { JobDeps } from './deps.ts';
import type { EmbeddedBatch } from './write-memory.ts';

/** Bound of embedding one batch, retries and waits for a free slot included. */
const EMBED_TIMEOUT_MS = 600_000;

/**
 * Vectors of a batch from every embedder of the space, each as it is now: a change counts from the next batch on. The
 * first failure rejects; the signal ends the other calls. Throws NotAsked without a call when one of them is known to be
 * away.
 */
export async function embedBatch(
  deps: Pick<JobDeps, 'registry' | 'loadEmbedders' | 'observe' | 'absences'>,
  { job, embedderIds }: { job: ClaimedJob; embedderIds: readonly string[] },
  batch: ChunkBatch,
  signal: AbortSignal,
): Promise<EmbeddedBatch> {
  if (batch.chunks.length === 0) return { ...batch, vectors: [] };
  const embedders = await deps.loadEmbedders(embedderIds, signal);
  deps.absences.check(embedders, job);
  const texts = batch.chunks.map(({ text }) => text);
  const options = { inputType: 'document' as const, signal, deadlineMs: Date.now() + EMBED_TIMEOUT_MS };
  const vectors = await Promise.all(
    embedders.map(async (record) => {
      const rows = await deps.absences.watch(record, () => deps.registry.client(record).embed(texts, options));
      deps.observe?.chunksEmbedded?.(record.providerType, texts.length);
      return { embedderId: record.id, vectors: rows };
    }),
  );
  return { ...batch, vectors };
}
