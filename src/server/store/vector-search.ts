import { hash } from 'node:crypto';
import { halfvec, int4Array, uuidArray } from './binary.ts';
import type { Db, Statement, StatementOptions } from './db.ts';
import type { Filter } from './filter/ast.ts';
import { compileFilter } from './filter/compile-filter.ts';
import { RETRIEVABLE } from './memory-row.ts';
import { BRINGING, type Brought, type BroughtRow, type BroughtRows, broughtBy } from './retrieved-chunks.ts';
import { type SpaceVectors, type VectorPart, vectorParts } from './vector-layout.ts';
import { signsOf } from './vector-tables.ts';

/** Settings of the HNSW search; pgvector documents those of the same names. */
export interface HnswSettings {
  efSearch: number;
  iterativeScan: 'off' | 'relaxed_order' | 'strict_order';
  maxScanTuples: number;
  scanMemMultiplier: number;
}

export interface VectorSearch {
  vectors: SpaceVectors;
  /** Unit length. */
  query: Float32Array;
  limit: number;
  /** `farthest` is for an embedder with a negative weight. */
  order: 'nearest' | 'farthest';
  /** Undefined for an exact scan. */
  hnsw: HnswSettings | undefined;
  filter: Filter | undefined;
  /** Up to so many chunks that pass the filter, these are read instead of walking the index. */
  exactMatches: number;
  /**
   * `any` includes hidden memories, which the caller drops: cheapest while there are few of them; hits of equal similarity
   * are in no particular order. `retrievable` excludes them. `retrievable and ordered` also sorts hits of equal similarity,
   * newest memory first.
   */
  memories: 'any' | 'retrievable' | 'retrievable and ordered';
  bring: BroughtRows;
}

/** One chunk that a search found. */
export interface VectorHit {
  memoryId: string;
  sequence: number;
  /** Inner product of unit vectors: the cosine. */
  similarity: number;
}

export interface Found {
  hits: SearchHit[];
  /** How many chunks pass the filter, counted up to about `exactMatches` before a walk; undefined without a filter. */
  matching: number | undefined;
}

/** A hit; what it brings along is undefined for one that is not among the first `bring.chunks`. */
export interface SearchHit extends VectorHit {
  brought: Brought | undefined;
}

/**
 * The chunks of a space nearest to a query, best first. A large space is searched through its index, and its vectors that
 * are not yet in the index by an exact scan; a small space is scanned exactly, which is both faster and complete. Where few
 * chunks pass the filter these alone are read: the statement itself counts them, and goes one way or the other.
 * May return one row more than `limit`, which shows whether hits of equal similarity were separated by the limit.
 *
 * Returns none when the layout has changed since the caller read it: vectors may be in tables then that the statement does
 * not read. It compares the versions itself, since only what one statement reads is of one moment.
 */
export async function searchVectors(db: Db, search: VectorSearch, options: StatementOptions = {}): Promise<Found> {
  const { hnsw } = search;
  const efSearch = efSearchOf(search);
  const { statement, values } = searchStatement(search);
  const rows = await db.searchSemaphore.run(async (left) => {
    if (hnsw === undefined || efSearch === undefined) return await db.main.query<HitRow>(statement, values, left);
    const settings = {
      'hnsw.ef_search': efSearch,
      'hnsw.iterative_scan': hnsw.iterativeScan,
      'hnsw.max_scan_tuples': hnsw.maxScanTuples,
      'hnsw.scan_mem_multiplier': hnsw.scanMemMultiplier,
    };
    return await db.main.pipelined<HitRow>(settings, statement, values, left);
  }, options);
  const hits = rows.filter(({ memoryId }) => memoryId !== null);
  return {
    hits: hits.map((row, index) => ({
      memoryId: row.memoryId,
      sequence: row.sequence,
      similarity: row.similarity,
      brought: index < search.bring.chunks ? broughtBy(row, search.vectors.spaceId) : undefined,
    })),
    matching: rows[0]?.matching,
  };
}

/** With a filter there is always one; its memory id is null when nothing was found. */
type HitRow = VectorHit & BroughtRow & { matching?: number };

const MAX_EF_SEARCH = 1000;
/** An index of signs finds the nearest among more. */
const QUANTIZED_FACTOR = 2;

/** How many vectors a walk of the index keeps in view, and how many of an index of signs are compared as they are. */
export function efSearchOf({
  hnsw,
  limit,
  vectors,
}: Pick<VectorSearch, 'hnsw' | 'limit' | 'vectors'>): number | undefined {
  if (hnsw === undefined) return undefined;
  const isQuantized = vectors.layout.segments.some(({ bits }) => bits !== undefined);
  // With an ef_search below the number of wanted rows, the index would return too few.
  return Math.min(Math.max(hnsw.efSearch, limit) * (isQuantized ? QUANTIZED_FACTOR : 1), MAX_EF_SEARCH);
}

/**
 * How many rows a part of the statement reads, by a walk of the index or an exact scan. The limit is part of the SQL, because
 * the planner needs it to choose the index. Rounding it up keeps the number of prepared statements per session small. The
 * extra rows of an exact scan are free; beyond ef_search, or with a filter, they cost another index scan.
 */
function rowsToRead(search: VectorSearch, isWalk: boolean): number {
  const { limit, filter } = search;
  const rows = filter === undefined ? step(limit + 1) : limit + 1;
  return isWalk && (filter !== undefined || rows > (efSearchOf(search) ?? 0)) ? limit : rows;
}

/** The next of 10, 20, 50, 100, 200, … */
function step(rows: number): number {
  const power = 10 ** Math.max(1, Math.floor(Math.log10(rows)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((candidate) => candidate >= rows) ?? rows;
}

function searchStatement(search: VectorSearch): { statement: Statement; values: unknown[] } {
  const { vectors, query, filter, memories, bring } = search;
  const compiled = filter && compileFilter(filter, { alias: 'm', firstParameter: 8, space: '$2' });
  const isOrdered = memories === 'retrievable and ordered';
  const parts = vectorParts(vectors, '$2').flatMap((part) =>
    compiled === undefined ? [partSearch(part, search)] : filteredSearches(part, compiled.sql, search),
  );
  const limited = parts.map(({ sql, isWalk }) => {
    const rows = rowsToRead(search, isWalk);
    return `(${sql} ${isOrdered ? `fetch first ${rows} rows with ties` : `limit ${rows}`})`;
  });
  const direction = search.order === 'nearest' ? 'desc' : 'asc';
  const order = `similarity ${direction}, ${isOrdered ? EQUALS_ORDER : '"memoryId", found.sequence'}`;
  const hits = `select "memoryId", found.sequence, similarity, row_number() over (order by ${order}) as rank,
        row_number() over (partition by "memoryId" order by ${order}) as place
      from (${limited.join(' union all ')}) found ${isOrdered ? EQUALS_JOIN : ''}
      where (select layout_version from space_embedder where space_id = $2 and embedder_id = $5) = $6
      order by rank limit $7`;
  const text = `${compiled === undefined ? '' : matchingSql(compiled, search)}
    select ${compiled === undefined ? '' : 'counted.chunks as matching, '}hit."memoryId", hit.sequence, hit.similarity, brought.*
    from ${compiled === undefined ? '' : 'counted left join '}(${hits}) hit${compiled === undefined ? '' : ' on true'}
    ${BRINGING}
    order by hit.rank`;
  return {
    statement: named(text, compiled !== undefined),
    values: [
      halfvec(query),
      vectors.spaceId,
      bring.chunks,
      bring.memories,
      vectors.embedderId,
      vectors.layout.version,
      search.limit + 1,
      ...(compiled?.values ?? []),
    ],
  };
}

const EQUALS_JOIN = `join memory m on m.space_id = $2 and m.memory_id = found."memoryId"
    join chunk c on c.space_id = $2 and c.memory_id = found."memoryId" and c.sequence = found.sequence`;
const EQUALS_ORDER = 'm.created_at desc, c.chunk_id';

/**
 * Always true beside `v.space_id = $2`. As the planner takes it for a range, of which it does not know better than that it
 * is narrow, it plans for few rows whichever the space is: it reads them by the primary key, also where few spaces share
 * the partition, and keeps that plan. Without, it expects more rows of an average space than of most, and for the sake of
 * those plans the whole statement anew in each call, which takes as long as a scan of 1,000 vectors.
 */
const ANY_SPACE = 'v.space_id between $2 and $2';

const DISTANCE = 'v.embedding <#> $1::halfvec';
const selectFrom = (table: string) =>
  `select v.memory_id as "memoryId", v.sequence, -(${DISTANCE}) as similarity from ${table}`;
/** `+ 0` makes the ordering unusable for the index, which forces an exact scan. */
const exactOrder = ({ order }: VectorSearch) => (order === 'farthest' ? `(${DISTANCE}) desc` : `(${DISTANCE}) + 0`);
const isWalked = ({ isIndexed }: VectorPart, { order, hnsw }: VectorSearch) =>
  isIndexed && hnsw !== undefined && order === 'nearest';

/** Finds vectors of one part, the best first. */
interface PartSearch {
  sql: string;
  isWalk: boolean;
}

function partSearch(part: VectorPart, search: VectorSearch): PartSearch {
  const condition = search.memories === 'any' ? undefined : RETRIEVABLE;
  if (isWalked(part, search)) {
    return { sql: indexWalk(part, condition === undefined ? [] : [ofMemory(condition)], search), isWalk: true };
  }
  const [select, order] = [selectFrom(`${part.table} v`), `order by ${exactOrder(search)}`];
  if (condition === undefined) return { sql: `${select} where ${part.rows} and ${ANY_SPACE} ${order}`, isWalk: false };
  const join = `join memory m on m.space_id = $2 and m.memory_id = v.memory_id and ${condition}`;
  return { sql: `${select} ${join} where ${part.rows} ${order}`, isWalk: false };
}

/**
 * The search through the vector index. It has no condition that the planner could estimate to match few rows: in a table
 * that was never analyzed it estimates 1/200 of the rows for one space, and would sort everything instead of using the
 * index. A condition on the memory is therefore a subquery per row and not a join. Of an index of signs the best candidates
 * are ordered anew by the whole vectors.
 */
function indexWalk({ table, bits }: VectorPart, conditions: readonly string[], search: VectorSearch): string {
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const select = `${selectFrom(`${table} v`)} ${where}`;
  if (bits === undefined) return `${select} order by ${DISTANCE}`;
  const signs = `(${signsOf('v.embedding', bits)}) <~> ${signsOf(`$1::halfvec(${bits})`, bits)}`;
  const candidates = Math.max(efSearchOf(search) ?? 0, search.limit + 1);
  return `select * from (${select} order by ${signs} limit ${candidates}) candidate order by similarity desc`;
}

const ofMemory = (condition: string) =>
  `(select ${condition} from memory m where m.space_id = $2 and m.memory_id = v.memory_id)`;

/** The memories that pass the filter, and how many chunks they have; before a walk not more of them than decide about it. */
function matchingSql({ sql, keys }: { sql: string; keys: string | undefined }, search: VectorSearch): string {
  const { hnsw, exactMatches } = search;
  const condition = `${RETRIEVABLE} and m.chunk_count > 0 ${keys === undefined ? '' : `and ${keys}`} and (${sql})`;
  const most = hnsw === undefined ? '' : `limit ${exactMatches + 1}`;
  const few = `, few as materialized (
      select memory_id from matching where (select chunks from counted) <= ${exactMatches}
    )`;
  return `with matching as materialized (
      select m.memory_id, m.chunk_count from memory m where m.space_id = $2 and ${condition} ${most}
    ), counted as materialized (
      select coalesce(sum(chunk_count), 0)::int8 as chunks from matching
    )${hnsw === undefined ? '' : few}`;
}

/**
 * Find in one part the vectors of `matching`. When the index may be walked, either those of `few`, which is empty if there are
 * many, by the primary key of each memory: a join might be planned as a scan of all vectors. Or what the walk finds.
 */
function filteredSearches(part: VectorPart, condition: string, search: VectorSearch): PartSearch[] {
  const { table, rows } = part;
  const order = `order by ${exactOrder(search)}`;
  if (search.hnsw === undefined) {
    const all = `${selectFrom(`matching join ${table} v on v.memory_id = matching.memory_id`)} where ${rows} ${order}`;
    return [{ sql: all, isWalk: false }];
  }
  const own = `select v.* from ${table} v where ${rows} and v.memory_id = few.memory_id offset 0`;
  const exact = `${selectFrom(`few cross join lateral (${own}) v`)} ${order}`;
  const areMany = `(select chunks from counted) > ${search.exactMatches}`;
  const passes = `${RETRIEVABLE} and (${condition})`;
  const isWalk = isWalked(part, search);
  const many = isWalk
    ? indexWalk(part, [areMany, ofMemory(passes)], search)
    : `${selectFrom(`${table} v`)} join memory m on m.space_id = $2 and m.memory_id = v.memory_id and ${passes}
        where ${areMany} and ${rows} ${order}`;
  return [
    { sql: exact, isWalk: false },
    { sql: many, isWalk },
  ];
}

/** Statements with a filter are not prepared: they are too many to keep a plan of each in every session. */
function named(text: string, filtered: boolean): Statement {
  const name = `vector_search_${hash('sha1', text, 'base64url').slice(0, 20)}`;
  return filtered ? { name: 'vector_search_filtered', text, prepare: false } : { name, text };
}

const SCORE_NAME = 'vector_search_score_';

/** The similarities of given chunks to a query, by one embedder; chunks without a vector are left out. */
export async function scoreChunks(
  db: Db,
  vectors: SpaceVectors,
  query: Float32Array,
  keys: readonly { memoryId: string; sequence: number }[],
  options: StatementOptions = {},
): Promise<VectorHit[]> {
  const parts = vectorParts(vectors, '$2').map(
    ({ table, rows }) => `select v.memory_id as "memoryId", v.sequence, -(v.embedding <#> $1::halfvec) as similarity
      from unnest($3::uuid[], $4::int4[]) as wanted (memory_id, sequence)
      join ${table} v on ${rows} and v.memory_id = wanted.memory_id and v.sequence = wanted.sequence`,
  );
  const text = parts.join(' union all ');
  const name = `${SCORE_NAME}${hash('sha1', text, 'base64url').slice(0, 20)}`;
  const memoryIds = uuidArray(keys.map(({ memoryId }) => memoryId));
  const values = [halfvec(query), vectors.spaceId, memoryIds, int4Array(keys.map(({ sequence }) => sequence))];
  return await db.main.query<VectorHit>({ name, text }, values, options);
}
