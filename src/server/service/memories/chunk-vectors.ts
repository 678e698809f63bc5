import { type ChunkRow, chunkKey } from '../../store/chunks.ts';
import type { Queryable } from '../../store/db.ts';
import { selectChunkVectors, selectValuesPerChunk } from '../../store/memory-chunks.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';

/** The vectors of one chunk, in the order of the embedders of its space. */
export type VectorsOfChunk = { embedderId: string; values: number[] }[];

/** How many chunks of a space have at most `values` numbers in all their vectors, at least 1. */
export async function chunksWithin(q: Queryable, spaceId: string, values: number): Promise<number> {
  return Math.max(1, Math.floor(values / (await selectValuesPerChunk(q, spaceId))));
}

/** The vectors of these chunks of a space, in the same order; [] for a chunk without vectors. */
export async function loadChunkVectors(
  q: Queryable,
  spaceId: string,
  chunks: readonly ChunkRow[],
): Promise<VectorsOfChunk[]> {
  const ofChunk = new Map(chunks.map((chunk) => [chunkKey(chunk), [] as VectorsOfChunk]));
  for (const { embedderId, layout } of await selectSpaceEmbedders(q, [spaceId])) {
    const rows = await selectChunkVectors(q, { spaceId, embedderId, layout }, chunks);
    for (const row of rows) ofChunk.get(chunkKey(row))?.push({ embedderId, values: row.values });
  }
  return [...ofChunk.values()];
}
