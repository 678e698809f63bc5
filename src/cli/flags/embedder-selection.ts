import { pairOf, parseDecimal } from './kinds.ts';

/** An embedder of a space that is to be made. */
export interface EmbedderSelection {
  embedderId: string;
  defaultRetrievalWeight?: number;
}

/** `ID` or `ID=WEIGHT`, as `--embedder` takes it. */
export function embedderSelection(entry: string): EmbedderSelection {
  if (!entry.includes('=')) return { embedderId: entry };
  const [embedderId, weight] = pairOf(entry, '--embedder', 'id=weight');
  return { embedderId, defaultRetrievalWeight: parseDecimal(weight, 'The weight of --embedder') };
}
