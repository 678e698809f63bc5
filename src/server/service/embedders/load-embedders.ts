import type { EmbedderProvider, EmbedderRecord } from '../../providers/embedders/types.ts';
import type { EmbedderRow } from '../../store/embedders.ts';
import { type LoaderDeps, loadTarget, loadTargets, targetRecord } from '../targets/load-targets.ts';
import { embedderKind } from './embedder-kind.ts';

export interface EmbedderLoader {
  /** The records of these embedders, in the order of the ids. Throws NOT_FOUND. */
  loadEmbedders(ids: readonly string[], signal: AbortSignal): Promise<EmbedderRecord[]>;
  /** Throws NOT_FOUND. */
  loadEmbedder(id: string, signal: AbortSignal): Promise<EmbedderRecord>;
}

/**
 * Embedders in the form in which they are called. Permissions are not checked: a space uses its embedders on its own
 * behalf.
 */
export function createEmbedderLoader({ pool, secretsKey }: LoaderDeps): EmbedderLoader {
  return {
    async loadEmbedders(ids, signal) {
      const rows = await loadTargets(pool, embedderKind, ids, signal);
      return rows.map((row) => embedderRecord(row, secretsKey));
    },
    loadEmbedder: async (id, signal) => embedderRecord(await loadTarget(pool, embedderKind, id, signal), secretsKey),
  };
}

function embedderRecord(row: EmbedderRow, secretsKey: Uint8Array | undefined): EmbedderRecord {
  return {
    ...targetRecord<EmbedderProvider>(row, secretsKey),
    dimensionality: row.dimensionality,
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
  };
}
