import { int4Array, uuidArray } from './binary.ts';
import { type ChunkRow, chunkColumns } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import { RETRIEVABLE } from './vector-search.ts';

export interface ChunkKey {
  spaceId: string;
  memoryId: string;
  sequence: number;
}

/** A chunk that may be returned, with what its rank depends on. */
export interface RetrievedChunkRow extends ChunkRow {
  spaceId: string;
  memoryCreatedAt: number;
}

const SELECT_RETRIEVABLE = statement({
  name: 'retrieved_chunks.select_retrievable',
  purpose: 'The texts of chunks that were found, without those of expired or unprocessed memories',
  text: `select ${chunkColumns('c', 'm')}, c.space_id as "spaceId", m.created_at as "memoryCreatedAt"
    from unnest($1::uuid[], $2::uuid[], $3::int4[]) as wanted (space_id, memory_id, sequence)
    join memory m on m.space_id = wanted.space_id and m.memory_id = wanted.memory_id
    join chunk c on c.space_id = wanted.space_id and c.memory_id = wanted.memory_id and c.sequence = wanted.sequence
    where ${RETRIEVABLE} and c.vector_status = 'COMPLETED'`,
});
const SELECT_NEIGHBORS = statement({
  name: 'retrieved_chunks.select_neighbors',
  purpose: 'The chunks before and after those that were found',
  text: `select wanted.sequence as "ofSequence", c.memory_id as "memoryId", c.sequence, c.text
    from unnest($1::uuid[], $2::uuid[], $3::int4[]) as wanted (space_id, memory_id, sequence)
    join chunk c on c.space_id = wanted.space_id and c.memory_id = wanted.memory_id
      and c.sequence between wanted.sequence - $4 and wanted.sequence + $4 and c.sequence <> wanted.sequence
    order by c.memory_id, wanted.sequence, c.sequence`,
});

export interface NeighborRow {
  memoryId: string;
  /** The sequence of the chunk whose neighbor it is. */
  ofSequence: number;
  sequence: number;
  text: string;
}

/** The chunks of these keys that may be returned, in no particular order; hidden and deleted ones are left out. */
export function selectRetrievableChunks(
  q: Queryable,
  keys: readonly ChunkKey[],
  options?: StatementOptions,
): Promise<RetrievedChunkRow[]> {
  return q.query<RetrievedChunkRow>(SELECT_RETRIEVABLE, keyArrays(keys), options);
}

/** Up to `distance` chunks before and after each of these, in order. */
export function selectNeighbors(
  q: Queryable,
  keys: readonly ChunkKey[],
  distance: number,
  options?: StatementOptions,
): Promise<NeighborRow[]> {
  return q.query<NeighborRow>(SELECT_NEIGHBORS, [...keyArrays(keys), distance], options);
}

function keyArrays(keys: readonly ChunkKey[]): Buffer[] {
  return [
    uuidArray(keys.map(({ spaceId }) => spaceId)),
    uuidArray(keys.map(({ memoryId }) => memoryId)),
    int4Array(keys.map(({ sequence }) => sequence)),
  ];
}
