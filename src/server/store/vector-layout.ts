import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import { segmentTable, sharedPartition } from './vector-tables.ts';

/** Identifies the vectors of one space by one embedder. */
export interface VectorsKey {
  spaceId: string;
  embedderId: string;
}

/** A table of a space's own. */
export interface VectorSegment {
  /** Part of its name. Numbers rise, and none is used twice. */
  number: number;
  /**
   * `PLAIN`: has no index yet, scanned exactly. `INDEXED`: searched through its HNSW index. `FILLING`: gets copies of the
   * vectors of those that it is to replace; `COPIED`: has them all. Copies are not searched, but deleted with the others.
   */
  state: 'PLAIN' | 'INDEXED' | 'FILLING' | 'COPIED';
  /** Numbers of the segments whose copies it has. */
  replaces?: readonly number[];
  /** Where its index has the signs of the numbers only: how many they are, the dimensions. */
  bits?: number;
}

/**
 * Where the vectors of one space by one embedder are: each of them either in the shared partition or in one segment, and
 * perhaps copied to another. Every change of the segments raises the version, in its transaction, and before a vector moves
 * accordingly.
 */
export interface VectorLayout {
  version: number;
  segments: readonly VectorSegment[];
}

/** Which vectors a statement reads, and where it expects them. */
export interface SpaceVectors extends VectorsKey {
  layout: VectorLayout;
}

/** The column of a select that has `space_embedder` under this alias. */
export function layoutColumn(alias: string): string {
  return `json_build_object('version', ${alias}.layout_version, 'segments', ${alias}.segments) as layout`;
}

/** One table that holds vectors of the space. */
export interface VectorPart {
  table: string;
  /** Condition for the rows `v` of the space, on all columns before the memory id in the primary key. */
  rows: string;
  /** Whether all of its rows belong to the space and are in a vector index. */
  isIndexed: boolean;
  /** Of that index, where it has signs only: how many. */
  bits: number | undefined;
}

/** The tables that hold each vector of a space once; `spaceParameter` has the id of the space. */
export function vectorParts(vectors: SpaceVectors, spaceParameter: string): VectorPart[] {
  const segments = vectors.layout.segments.filter(({ state }) => state === 'PLAIN' || state === 'INDEXED');
  const layout = { ...vectors.layout, segments };
  return partsWithCopies({ ...vectors, layout }, spaceParameter);
}

/** All tables that hold vectors of a space, copies too. */
export function partsWithCopies({ spaceId, embedderId, layout }: SpaceVectors, spaceParameter: string): VectorPart[] {
  const own = layout.segments.map(({ number, state, bits }) => ({
    table: segmentTable({ spaceId, embedderId }, number),
    rows: `v.space_id = ${spaceParameter} and v.indexed`,
    isIndexed: state === 'INDEXED',
    bits,
  }));
  const rows = `v.space_id = ${spaceParameter} and not v.indexed`;
  return [...own, { table: sharedPartition(embedderId), rows, isIndexed: false, bits: undefined }];
}

const SELECT = statement({
  name: 'vector_layout.select',
  purpose: 'Where the vectors of a space are',
  text: `select ${layoutColumn('e')} from space_embedder e where e.space_id = $1 and e.embedder_id = $2`,
});
const LOCK = statement({
  name: 'vector_layout.lock',
  purpose: 'Where the vectors of a space are, none of whose tables is dropped until the transaction ends',
  text: `select e.embedder_id as "embedderId", ${layoutColumn('e')} from space_embedder e
    where e.space_id = $1 and e.embedder_id = any ($2::uuid[]) order by e.embedder_id for key share`,
});

/** Undefined when the space was deleted. */
export async function selectVectorLayout(
  q: Queryable,
  { spaceId, embedderId }: VectorsKey,
  options?: StatementOptions,
): Promise<VectorLayout | undefined> {
  const [row] = await q.query<{ layout: VectorLayout }>(SELECT, [spaceId, embedderId], options);
  return row?.layout;
}

/**
 * Where the vectors of a space are by these embedders, for a change of them. Those of memories that the transaction has
 * locked before do not move until it ends.
 */
export async function lockVectorLayouts(
  tx: Queryable,
  { spaceId, embedderIds }: { spaceId: string; embedderIds: readonly string[] },
  options?: StatementOptions,
): Promise<SpaceVectors[]> {
  type Row = { embedderId: string; layout: VectorLayout };
  const rows = await tx.query<Row>(LOCK, [spaceId, embedderIds], options);
  return rows.map((row) => ({ spaceId, ...row }));
}
