import { int4Array, uuidArray } from './binary.ts';
import { type ChunkRow, chunkColumns } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { type MemoryRow, memoryColumns, RETRIEVABLE } from './memory-row.ts';
import { statement } from './statement.ts';

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

const COLUMNS = `${chunkColumns('c', 'm')}, c.space_id as "spaceId", m.created_at as "memoryCreatedAt"`;

const SELECT_RETRIEVABLE = statement({
  name: 'retrieved_chunks.select_retrievable',
  purpose: 'The texts of chunks that were found, without those of expired or unprocessed memories',
  text: `select ${COLUMNS}
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

/** How many of the first hits of a search bring their chunk and their memory along. */
export interface BroughtRows {
  chunks: number;
  memories: number;
}

/** What hits bring along. A chunk is null when it must not be returned. A memory comes with the first of its hits. */
export interface Brought {
  chunk: RetrievedChunkRow | null;
  memory: MemoryRow | undefined;
}

const OF_MEMORY = 'memory.';

/**
 * Joins for a query over `hit`, which has a memory id, a sequence, its rank and its place among the hits of its memory,
 * each from 1. `$2` is the space, `$3` and `$4` are `BroughtRows`. `offset 0` keeps the planner from joining whole tables
 * when it overestimates the number of hits.
 */
export const BRINGING = `left join lateral (
      select ${COLUMNS} from memory m
      join chunk c on c.space_id = m.space_id and c.memory_id = m.memory_id and c.sequence = hit.sequence
      where hit.rank <= $3 and m.space_id = $2 and m.memory_id = hit."memoryId" and ${RETRIEVABLE}
        and c.vector_status = 'COMPLETED'
      offset 0
    ) brought on true
    left join lateral (
      select ${memoryColumns('m', OF_MEMORY)} from memory m
      where hit.rank <= $4 and hit.place = 1 and m.space_id = $2 and m.memory_id = hit."memoryId"
      offset 0
    ) of_memory on true`;

const MEMORY = [...memoryColumns('m').matchAll(/"(\w+)"/g)].map(([, name = '']) => name);

/** What a row of such a query brought. The row itself is the chunk; it has the columns of the memory besides. */
export function broughtBy(row: Record<string, unknown>): Brought {
  return {
    chunk: row.chunkId === null ? null : (row as unknown as RetrievedChunkRow),
    memory: row[`${OF_MEMORY}memoryId`] === null ? undefined : memoryOf(row),
  };
}

function memoryOf(row: Record<string, unknown>): MemoryRow {
  const memory: Record<string, unknown> = {};
  for (const name of MEMORY) memory[name] = row[OF_MEMORY + name];
  return memory as unknown as MemoryRow;
}

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
