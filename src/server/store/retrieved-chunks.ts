import { int4Array, uuidArray } from './binary.ts';
import { type ChunkRow, chunkColumns } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { type MemoryRow, RETRIEVABLE } from './memory-row.ts';
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

/** Of the chunk of a hit, and of its memory what the chunk shows. */
type ChunkPart = Omit<RetrievedChunkRow, 'memoryId' | 'sequence' | 'spaceId' | 'vectorStatus'>;
/** What is neither in that part, nor known with the hit, nor the same for all memories that may be returned. */
type MemoryPart = Omit<
  MemoryRow,
  'memoryId' | 'spaceId' | 'processingStatus' | 'failureReason' | 'createdAt' | 'createdById' | 'updatedById'
>;
type PrefixedMemoryPart = { [name in keyof MemoryPart as `memory.${name}`]: MemoryPart[name] };

/** A hit with what it brought. What it did not bring is null. */
export type BroughtRow = Pick<RetrievedChunkRow, 'memoryId' | 'sequence'> &
  (ChunkPart | { chunkId: null }) &
  (PrefixedMemoryPart | { 'memory.contentId': null });

const CHUNK_PART: Readonly<Record<keyof ChunkPart, string>> = {
  chunkId: 'c.chunk_id',
  text: 'c.text',
  startOffset: 'c.start_offset',
  endOffset: 'c.end_offset',
  metadata: 'c.metadata',
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
  memoryCreatedAt: 'm.created_at',
  createdById: 'm.created_by_id',
  updatedById: 'm.updated_by_id',
};
const MEMORY_PART: Readonly<Record<keyof MemoryPart, string>> = {
  contentId: 'm.content_id',
  contentLength: 'm.content_length',
  contentSha256: `encode(m.content_sha256, 'hex')`,
  contentRef: 'm.content_ref',
  contentType: 'm.content_type',
  pageImageStatus: 'm.page_image_status',
  pageImageCount: 'm.page_image_count',
  extractPageImages: 'm.extract_page_images',
  metadata: 'm.metadata',
  chunkingConfig: 'm.chunking_config',
  chunkCount: 'm.chunk_count',
  expiresAt: 'm.expires_at',
  updatedAt: 'm.updated_at',
};
const BROUGHT = [
  ...Object.entries(CHUNK_PART).map(([name, column]) => `${column} as "${name}"`),
  ...Object.entries(MEMORY_PART).map(
    ([name, column]) => `case when hit.rank <= $4 and hit.place = 1 then ${column} end as "memory.${name}"`,
  ),
];

/**
 * Joins for a query over `hit`, which has a memory id, a sequence, its rank and its place among the hits of its memory,
 * each from 1. `$2` is the space, `$3` and `$4` are `BroughtRows`. `offset 0` keeps the planner from joining whole tables
 * when it overestimates the number of hits. The columns are as few as can be: each costs both sides, row by row.
 */
export const BRINGING = `left join lateral (
      select ${BROUGHT.join(',\n        ')}
      from memory m
      join chunk c on c.space_id = m.space_id and c.memory_id = m.memory_id and c.sequence = hit.sequence
      where hit.rank <= $3 and m.space_id = $2 and m.memory_id = hit."memoryId" and ${RETRIEVABLE}
        and c.vector_status = 'COMPLETED'
      offset 0
    ) brought on true`;

/** What a row of such a query brought; the row is of a hit in this space. */
export function broughtBy(row: BroughtRow, spaceId: string): Brought {
  if (row.chunkId === null) return { chunk: null, memory: undefined };
  const { memoryId, sequence, createdById, updatedById, memoryCreatedAt } = row;
  const chunk = {
    chunkId: row.chunkId,
    memoryId,
    sequence,
    text: row.text,
    vectorStatus: 'COMPLETED',
    startOffset: row.startOffset,
    endOffset: row.endOffset,
    metadata: row.metadata,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    createdById,
    updatedById,
    spaceId,
    memoryCreatedAt,
  };
  if (row['memory.contentId'] === null) return { chunk, memory: undefined };
  const memory = {
    memoryId,
    spaceId,
    contentId: row['memory.contentId'],
    contentLength: row['memory.contentLength'],
    contentSha256: row['memory.contentSha256'],
    contentRef: row['memory.contentRef'],
    contentType: row['memory.contentType'],
    processingStatus: 'COMPLETED',
    failureReason: null,
    pageImageStatus: row['memory.pageImageStatus'],
    pageImageCount: row['memory.pageImageCount'],
    extractPageImages: row['memory.extractPageImages'],
    metadata: row['memory.metadata'],
    chunkingConfig: row['memory.chunkingConfig'],
    chunkCount: row['memory.chunkCount'],
    expiresAt: row['memory.expiresAt'],
    createdAt: memoryCreatedAt,
    updatedAt: row['memory.updatedAt'],
    createdById,
    updatedById,
  } as const;
  return { chunk, memory };
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
