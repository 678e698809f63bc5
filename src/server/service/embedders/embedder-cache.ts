import type { EmbedderRecord } from '../../providers/embedders/types.ts';
import type { EmbedderLoader } from './load-embedders.ts';

/** How long a change of an embedder may stay unnoticed. */
const MAX_AGE_MS = 1000;
const MAX_ENTRIES = 1000;

/**
 * Looks embedders up once a second instead of once a job or a question: both may last a few milliseconds, and each round
 * trip that they do without counts.
 */
export function cachedEmbedders(load: EmbedderLoader['loadEmbedders']): EmbedderLoader['loadEmbedders'] {
  const known = new Map<string, { records: EmbedderRecord[]; until: number }>();
  return async (ids, signal) => {
    const key = ids.join();
    const entry = known.get(key);
    if (entry !== undefined && entry.until > performance.now()) return entry.records;
    const records = await load(ids, signal);
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(key, { records, until: performance.now() + MAX_AGE_MS });
    return records;
  };
}
