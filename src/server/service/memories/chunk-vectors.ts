import { type ChunkRow, chunkKey } from '../../store/chunks.ts';
import type { Queryable } from '../../store/db.ts';
import { selectChunkVectors, selectValuesPerChunk } from '../../store/memory-chunks.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';

/** The vectors of one chunk, in the order of the embedders of its space. */
export type VectorsOfChunk = { embedderId: string; values: number[] }[];

/** How many chunks of a space have at most that many numbers in all their vectors; 1 at the least. */
export async function chunksWithin(q: Queryable, spaceId: string, values: number): Promise<number> {
  return Math.max(1, Math.floor(values / (await selectValuesPerChunk(q, spaceId))));
}

/** The vectors of these chunks of a space, in their order; [] for a chunk that has none. */
export async function loadChunkVectors(
  q: Queryable,
  spaceId: string,
  chunks: readonly ChunkRow[],
): Promise<VectorsOfChunk[]> {
  const ofChunk = new Map(chunks.map((chunk) => [chunkKey(chunk), [] as VectorsOfChunk]));
  for (const { embedderId } of await selectSpaceEmbedders(q, [spaceId])) {
    const rows = await selectChunkVectors(q, { spaceId, embedderId }, chunks);
    for (const row of rows) ofChunk.get(chunkKey(row))?.push({ embedderId, values: row.values });
  }
  return [...ofChunk.values()];
}
