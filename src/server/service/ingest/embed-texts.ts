import type { OpenEmbedder } from '../targets/open-target.ts';
import type { JobDeps } from './deps.ts';

/** Timeout of embedding one batch, including retries and waits for a free slot. */
const EMBED_TIMEOUT_MS = 600_000;

/** One vector for each text by this embedder, whose circuit is opened or closed by the outcome. */
export async function embedTexts(
  deps: Pick<JobDeps, 'circuits' | 'observe'>,
  { record, client }: OpenEmbedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const options = { inputType: 'document' as const, signal, deadlineMs: Date.now() + EMBED_TIMEOUT_MS };
  const rows = await deps.circuits.call(record, () => client().embed(texts, options));
  deps.observe?.chunksEmbedded?.(record.providerType, texts.length);
  return rows;
}
