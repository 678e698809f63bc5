import { createHash } from 'node:crypto';
import { halfvec } from './binary.ts';
import type { CallOptions, Db, Statement } from './db.ts';
import type { Filter } from './filter/ast.ts';
import { compileFilter } from './filter/compile-filter.ts';
import { sharedPartition, spacePartition } from './vector-tables.ts';

/** How the approximate index is searched; pgvector documents the settings of the same names. */
export interface HnswSettings {
  efSearch: number;
  iterativeScan: 'off' | 'relaxed_order' | 'strict_order';
  maxScanTuples: number;
  scanMemMultiplier: number;
}

/** The vectors that one embedder made of one space. */
export interface SpaceVectors {
  spaceId: string;
  embedderId: string;
  /** Whether they have a partition, and so perhaps an index, of their own. */
  ownPartition: boolean;
}

export interface VectorSearch {
  vectors: SpaceVectors;
  /** Unit length. */
  query: Float32Array;
  limit: number;
  /** `farthest` first, for an embedder that counts against a chunk. */
  order: 'nearest' | 'farthest';
  /** Undefined: every row is read. */
  hnsw: HnswSettings | undefined;
  filter: Filter | undefined;
  /** Leave out memories that nobody may see. Without it the caller drops them, which is cheaper while there are few. */
  visibleOnly: boolean;
}

/** One chunk that a search found. */
export interface VectorHit {
  memoryId: string;
  sequence: number;
  /** Inner product of unit vectors: the cosine. */
  similarity: number;
}

/** A memory that retrieval may see: processed to the end, and not expired. */
export const VISIBLE = `m.processing_status = 'COMPLETED' and (m.expires_at is null or m.expires_at > now())`;

/**
 * The chunks of a space nearest to a query, best first. A large space is searched through its index and, where vectors
 * have come since, by a scan of the new ones; a small one is scanned exactly, which is both faster and complete.
 */
export async function searchVectors(db: Db, search: VectorSearch, options: CallOptions = {}): Promise<VectorHit[]> {
  const { hnsw, limit } = search;
  const { statement, values } = searchStatement(search);
  return await db.vectorGate.run(async () => {
    if (hnsw === undefined) return await db.main.query<VectorHit>(statement, values, options);
    const settings = {
      // Below the number of rows wanted, the index would cut the result short.
      'hnsw.ef_search': Math.min(Math.max(hnsw.efSearch, limit), 1000),
      'hnsw.iterative_scan': hnsw.iterativeScan,
      'hnsw.max_scan_tuples': hnsw.maxScanTuples,
      'hnsw.scan_mem_multiplier': hnsw.scanMemMultiplier,
    };
    return await db.main.pipelined<VectorHit>(settings, statement, values, options);
  }, options.signal);
}

function searchStatement(search: VectorSearch): { statement: Statement; values: unknown[] } {
  const { vectors, query, filter, visibleOnly, limit } = search;
  const condition = filter === undefined ? undefined : compileFilter(filter, { alias: 'm', firstParameter: 3 });
  const join =
    condition === undefined && !visibleOnly
      ? ''
      : `join memory m on m.space_id = v.space_id and m.memory_id = v.memory_id and ${VISIBLE}
         ${condition === undefined ? '' : `and (${condition.sql})`}`;
  const parts = tablesOf(vectors).map((table) => partOf(table, join, search));
  const rows = parts.length === 1 ? parts.join() : parts.map((part) => `(${part})`).join(' union all ');
  const direction = search.order === 'nearest' ? 'desc' : 'asc';
  const text = `select "memoryId", sequence, similarity from (${rows}) hit
    order by similarity ${direction}, "memoryId", sequence limit ${limit}`;
  return {
    statement: named(text, condition !== undefined),
    values: [halfvec(query), vectors.spaceId, ...(condition?.values ?? [])],
  };
}

function tablesOf({ spaceId, embedderId, ownPartition }: SpaceVectors): string[] {
  if (!ownPartition) return [sharedPartition(embedderId)];
  const { fresh, hnsw } = spacePartition(embedderId, spaceId);
  return [hnsw, fresh];
}

/** The limit stands in the text and not in a parameter: the planner must know it to choose the index. */
function partOf(table: string, join: string, { order, limit, hnsw }: VectorSearch): string {
  const distance = 'v.embedding <#> $1::halfvec';
  // An ordering that the index cannot serve is how an exact scan is asked for.
  const ordering = order === 'farthest' ? `(${distance}) desc` : hnsw === undefined ? `(${distance}) + 0` : distance;
  return `select v.memory_id as "memoryId", v.sequence, -(${distance}) as similarity
    from ${table} v ${join} where v.space_id = $2 order by ${ordering} limit ${limit}`;
}

/** Statements with a filter come in too many shapes to keep a plan of each in every session. */
function named(text: string, filtered: boolean): Statement {
  const name = `vector_search_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`;
  return filtered ? { name: 'vector_search_filtered', text, prepare: false } : { name, text };
}

/**
 * How many chunks of a space pass a filter, counted up to about `atMost`: below that, reading just those rows beats any
 * walk through an index.
 */
export async function countMatchingChunks(
  db: Db,
  spaceId: string,
  filter: Filter,
  atMost: number,
  options: CallOptions = {},
): Promise<number> {
  const condition = compileFilter(filter, { alias: 'm', firstParameter: 2 });
  const text = `select coalesce(sum(chunk_count), 0)::int8 as chunks from (
      select m.chunk_count from memory m where m.space_id = $1 and ${VISIBLE} and (${condition.sql}) limit ${atMost}
    ) matching`;
  const statement = { name: 'vector_search_matching', text, prepare: false } as const;
  const [row] = await db.main.query<{ chunks: number }>(statement, [spaceId, ...condition.values], options);
  return row?.chunks ?? 0;
}

const SCORE_NAME = 'vector_search_score_';

/** The similarities of given chunks to a query, by one embedder; chunks without a vector are left out. */
export async function scoreChunks(
  db: Db,
  vectors: SpaceVectors,
  query: Float32Array,
  keys: readonly { memoryId: string; sequence: number }[],
  options: CallOptions = {},
): Promise<VectorHit[]> {
  const parts = tablesOf(vectors).map(
    (table) => `select v.memory_id as "memoryId", v.sequence, -(v.embedding <#> $1::halfvec) as similarity
      from unnest($3::uuid[], $4::int4[]) as wanted (memory_id, sequence)
      join ${table} v on v.space_id = $2 and v.memory_id = wanted.memory_id and v.sequence = wanted.sequence`,
  );
  const text = parts.join(' union all ');
  const name = `${SCORE_NAME}${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`;
  const values = [halfvec(query), vectors.spaceId, keys.map((key) => key.memoryId), keys.map((key) => key.sequence)];
  return await db.main.query<VectorHit>({ name, text }, values, options);
}
