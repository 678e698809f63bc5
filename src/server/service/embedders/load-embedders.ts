import type { EmbedderProvider, EmbedderRecord } from '../../providers/embedders/types.ts';
import type { Queryable } from '../../store/db.ts';
import { type EmbedderRow, selectEmbedders } from '../../store/embedders.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { credentialHeaders } from '../credentials.ts';
import { notFound } from '../resource-ids.ts';

export interface EmbedderLoader {
  /** The records of these embedders, in the order of the ids. Throws NOT_FOUND. */
  loadEmbedders(ids: readonly string[], signal: AbortSignal): Promise<EmbedderRecord[]>;
  /** Throws NOT_FOUND. */
  loadEmbedder(id: string, signal: AbortSignal): Promise<EmbedderRecord>;
}

/**
 * Embedders in the form in which they are called. Permissions are not checked: a space uses its embedders on its own
 * behalf. Credentials are opened at each call of theirs, never kept open.
 */
export function createEmbedderLoader(deps: { pool: Queryable; secretsKey: Uint8Array | undefined }): EmbedderLoader {
  const loadEmbedders = async (ids: readonly string[], signal: AbortSignal) => {
    const rows = new Map((await selectEmbedders(deps.pool, ids, { signal })).map((row) => [row.embedderId, row]));
    return ids.map((id) => {
      const row = rows.get(id);
      if (row === undefined) throw notFound('Embedder', id);
      return embedderRecord(row, deps.secretsKey);
    });
  };
  return {
    loadEmbedders,
    async loadEmbedder(id, signal) {
      const [record] = await loadEmbedders([id], signal);
      if (record === undefined) throw notFound('Embedder', id);
      return record;
    },
  };
}

function embedderRecord(row: EmbedderRow, secretsKey: Uint8Array | undefined): EmbedderRecord {
  const stored = row.credentials as StoredCredential | null;
  const access = { resourceId: row.embedderId, key: secretsKey };
  return {
    embedderId: row.embedderId,
    providerType: row.providerType as EmbedderProvider,
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    modelIdentifier: row.modelIdentifier,
    dimensionality: row.dimensionality,
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
    updatedAt: row.updatedAt,
    ...(stored === null
      ? {}
      : { credentials: (signal: AbortSignal) => credentialHeaders(stored, { ...access, signal }) }),
  };
}
