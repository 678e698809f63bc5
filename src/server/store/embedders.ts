import type { CallOptions, Queryable } from './db.ts';
import type { SpaceEmbedderRow } from './space-embedders.ts';
import { statement } from './statement.ts';
import type { TargetRow } from './target-rows.ts';
import { type TargetTable, targetSql } from './target-sql.ts';
import { createTargetStore } from './targets.ts';

/** What only an embedder has. */
export interface EmbedderOwn {
  dimensionality: number;
  distributionType: string;
  maxSequenceLength: number | null;
}

export type EmbedderRow = TargetRow<EmbedderOwn>;

const TABLE: TargetTable = {
  name: 'embedder',
  columns: { dimensionality: 'plain', distributionType: 'plain', maxSequenceLength: 'plain' },
};

export const embedderStore = createTargetStore<EmbedderOwn>(TABLE);
export const { insert: insertEmbedder, select: selectEmbedders } = embedderStore;

const { columns: COLUMNS, from: FROM } = targetSql(TABLE);

const SELECT_TO_ATTACH = statement({
  name: 'embedders.select_to_attach',
  purpose: 'Embedders that a space is to use, locked against deletion and change',
  text: `select ${COLUMNS} ${FROM} where t.embedder_id = any($1::uuid[]) order by t.embedder_id for key share of t`,
});
const SELECT_DEFAULT = statement({
  name: 'embedders.select_default',
  purpose: 'The embedder that a space gets when none is named',
  text: `select ${COLUMNS} ${FROM} where u.role = 'ROOT' and t.labels @> '{"default": "true"}'
    order by t.created_at, t.embedder_id limit 1 for key share of t`,
});
const SELECT_OF_SPACES = statement({
  name: 'embedders.select_of_spaces',
  purpose: 'The embedders of spaces, with what calling them takes',
  text: `select s.space_id as "spaceId", s.default_retrieval_weight as "defaultRetrievalWeight",
      s.vector_count as "vectorCount", s.own_partition as "ownPartition", ${COLUMNS} ${FROM}
    join space_embedder s on s.embedder_id = t.embedder_id
    where s.space_id = any($1::uuid[]) order by s.space_id, s.position`,
});
const IS_USED = statement({
  name: 'embedders.is_used',
  purpose: 'Whether a space uses an embedder',
  text: 'select exists (select from space_embedder where embedder_id = $1) as "isUsed"',
});

/**
 * In no particular order; ids that do not exist are left out. None of them can be deleted or change its vectors before
 * the transaction ends.
 */
export function selectEmbeddersToAttach(
  q: Queryable,
  ids: readonly string[],
  options?: CallOptions,
): Promise<EmbedderRow[]> {
  return q.query<EmbedderRow>(SELECT_TO_ATTACH, [ids], options);
}

/** The oldest embedder of ROOT that is labelled as the default, locked as by `selectEmbeddersToAttach`. */
export async function selectDefaultEmbedder(q: Queryable, options?: CallOptions): Promise<EmbedderRow | undefined> {
  const [row] = await q.query<EmbedderRow>(SELECT_DEFAULT, [], options);
  return row;
}

/** An embedder as one space uses it. */
export type SearchedEmbedderRow = EmbedderRow &
  Pick<SpaceEmbedderRow, 'spaceId' | 'defaultRetrievalWeight' | 'vectorCount' | 'ownPartition'>;

/** The embedders of these spaces with what calling them takes, for each space in the order in which they were given. */
export function selectEmbeddersOfSpaces(
  q: Queryable,
  spaceIds: readonly string[],
  options?: CallOptions,
): Promise<SearchedEmbedderRow[]> {
  return q.query<SearchedEmbedderRow>(SELECT_OF_SPACES, [spaceIds], options);
}

export async function isEmbedderUsed(q: Queryable, embedderId: string, options?: CallOptions): Promise<boolean> {
  const [row] = await q.query<{ isUsed: boolean }>(IS_USED, [embedderId], options);
  return row?.isUsed === true;
}
