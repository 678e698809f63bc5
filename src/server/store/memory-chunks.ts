import { int4Array, uuidArray } from './binary.ts';
import { type ChunkRow, chunkColumns } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { afterPosition, type Keyset, orderBy, type PagePosition, positionValues } from './list-query.ts';
import { isUnexpired } from './memory-row.ts';
import { statement } from './statement.ts';
import { type SpaceVectors, vectorParts } from './vector-layout.ts';

/** Chunks of a space, or of one memory in it. */
export interface ChunkScope {
  spaceId: string;
  memoryId: string | undefined;
}

interface ChunkListPage {
  limit: number;
  /** `[memoryId, sequence]`. */
  after: PagePosition | undefined;
  /** Total size of the texts of a page; the first text is read whatever its size. */
  maxTextBytes: number;
}

const IN_ORDER: Keyset = {
  columns: [
    ['c.memory_id', 'uuid'],
    ['c.sequence', 'int4'],
  ],
  order: 'asc',
};

/**
 * Scans the primary key of the chunks. The memory is looked up per chunk in a lateral subquery with `offset 0`, which keeps
 * the planner from joining and sorting the whole space. Texts, which are stored out of line, are read only once they are
 * known to fit: a chunk may be as large as a document.
 */
function listSql(hasMemory: boolean, hasAfter: boolean): string {
  const memory = hasMemory ? 'and c.memory_id = $4' : '';
  const after = hasAfter ? `and ${afterPosition(IN_ORDER, hasMemory ? 5 : 4)}` : '';
  return `select ${chunkColumns('sized', 'sized')}, found
    from (
      select page.*, count(*) over () as found,
        sum(octet_length(text)) over (order by memory_id, sequence) - octet_length(text) as bytes_before
      from (
        select c.*, m.created_by_id, m.updated_by_id
        from chunk c cross join lateral (
          select created_by_id, updated_by_id from memory
          where memory.space_id = c.space_id and memory.memory_id = c.memory_id and ${isUnexpired('memory')} offset 0
        ) m
        where c.space_id = $1 ${memory} ${after} ${orderBy(IN_ORDER)} limit $2
      ) page
    ) sized
    where bytes_before < $3 order by memory_id, sequence`;
}

const statementFor = (hasMemory: boolean, hasAfter: boolean) =>
  statement({
    name: `memory_chunks.select_${hasMemory ? 'of_memory' : 'of_space'}_${hasAfter ? 'next' : 'first'}`,
    purpose: `${hasAfter ? 'A further' : 'The first'} page of the chunks of a ${hasMemory ? 'memory' : 'space'}`,
    text: listSql(hasMemory, hasAfter),
  });
const SELECT = {
  ofSpace: { first: statementFor(false, false), next: statementFor(false, true) },
  ofMemory: { first: statementFor(true, false), next: statementFor(true, true) },
} as const;

/**
 * One page of chunks by memory id and sequence, without those of expired memories. `found` is the number of chunks that the
 * page would have without the bound on text size.
 */
export async function selectChunkList(
  q: Queryable,
  { spaceId, memoryId }: ChunkScope,
  { limit, after, maxTextBytes }: ChunkListPage,
  options?: StatementOptions,
): Promise<{ rows: ChunkRow[]; found: number }> {
  const statements = memoryId === undefined ? SELECT.ofSpace : SELECT.ofMemory;
  const values = [
    spaceId,
    limit,
    maxTextBytes,
    ...(memoryId === undefined ? [] : [memoryId]),
    ...(after === undefined ? [] : positionValues(IN_ORDER, after)),
  ];
  const statement = after === undefined ? statements.first : statements.next;
  const rows = await q.query<ChunkRow & { found: number }>(statement, values, options);
  return { rows, found: rows[0]?.found ?? 0 };
}

const SELECT_VALUES_PER_CHUNK = statement({
  name: 'memory_chunks.select_values_per_chunk',
  purpose: 'The sum of the dimensions of all embedders of a space',
  text: `select sum(e.dimensionality) as count from space_embedder se join embedder e using (embedder_id)
    where se.space_id = $1`,
});

/** How many numbers the vectors of one chunk of the space have in total. */
export async function selectValuesPerChunk(q: Queryable, spaceId: string, options?: StatementOptions): Promise<number> {
  const [row] = await q.query<{ count: number | null }>(SELECT_VALUES_PER_CHUNK, [spaceId], options);
  return row?.count ?? 0;
}

interface ChunkVectorRow {
  memoryId: string;
  sequence: number;
  /** Unit length. */
  values: number[];
}

/** The vectors of these chunks by one embedder, in no particular order. Call `await db.halfvecOid()` before. */
export function selectChunkVectors(
  q: Queryable,
  vectors: SpaceVectors,
  chunks: readonly { memoryId: string; sequence: number }[],
  options?: StatementOptions,
): Promise<ChunkVectorRow[]> {
  const text = vectorParts(vectors, '$1')
    .map(
      ({ table, rows }) => `select v.memory_id as "memoryId", v.sequence, v.embedding as "values"
      from unnest($2::uuid[], $3::int4[]) as wanted (memory_id, sequence)
      join ${table} v on ${rows} and v.memory_id = wanted.memory_id and v.sequence = wanted.sequence`,
    )
    .join(' union all ');
  const values = [
    vectors.spaceId,
    uuidArray(chunks.map(({ memoryId }) => memoryId)),
    int4Array(chunks.map(({ sequence }) => sequence)),
  ];
  return q.query<ChunkVectorRow>({ name: 'vectors.select', text, prepare: false }, values, options);
}
