import { pairOf, parseDecimal } from './kinds.ts';

/** An embedder of a space that is to be made; until it is resolved, by whatever it is named. */
export interface EmbedderSelection {
  embedderId: string;
  defaultRetrievalWeight?: number;
}

/** `NAME` or `ID`, alone or with `=WEIGHT`, as `--embedder` takes it. */
export function embedderSelection(entry: string): EmbedderSelection {
  if (!entry.includes('=')) return { embedderId: entry };
  const [embedderId, weight] = pairOf(entry, '--embedder', 'name=weight');
  return { embedderId, defaultRetrievalWeight: parseDecimal(weight, 'The weight of --embedder') };
}
