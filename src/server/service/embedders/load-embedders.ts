import type { EmbedderProvider, EmbedderRecord } from '../../providers/embedders/types.ts';
import type { EmbedderRow } from '../../store/embedders.ts';
import { type LoaderDeps, loadTarget, loadTargets, targetRecord } from '../targets/load-targets.ts';
import { embedderKind } from './embedder-kind.ts';

export interface EmbedderLoader {
  /** The record of an embedder that was read by other means. */
  record(row: EmbedderRow): EmbedderRecord;
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
  const record = (row: EmbedderRow) => embedderRecord(row, secretsKey);
  return {
    record,
    loadEmbedders: async (ids, signal) => (await loadTargets(pool, embedderKind, ids, signal)).map(record),
    loadEmbedder: async (id, signal) => record(await loadTarget(pool, embedderKind, id, signal)),
  };
}

function embedderRecord(row: EmbedderRow, secretsKey: Uint8Array | undefined): EmbedderRecord {
  return {
    ...targetRecord<EmbedderProvider>(row, secretsKey),
    dimensionality: row.dimensionality,
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
  };
}
