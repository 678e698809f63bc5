import type { Queryable, StatementOptions } from './db.ts';
import type { SpaceEmbedder } from './spaces.ts';
import { statement } from './statement.ts';
import { layoutColumn } from './vector-layout.ts';

type SpaceEmbedderRow = SpaceEmbedder & { spaceId: string };

const COLUMNS = `space_id as "spaceId", embedder_id as "embedderId",
  default_retrieval_weight as "defaultRetrievalWeight", vector_count as "vectorCount", ${layoutColumn('space_embedder')},
  created_at as "createdAt", updated_at as "updatedAt", created_by_id as "createdById", updated_by_id as "updatedById"`;

const INSERT = statement({
  name: 'space_embedders.insert',
  purpose: 'Attaches embedders to a space in the given order',
  text: `insert into space_embedder (space_id, embedder_id, position, default_retrieval_weight, created_at, updated_at,
      created_by_id, updated_by_id)
    select $1, embedder_id, position - 1, weight, now(), now(), $4, $4
    from unnest($2::uuid[], $3::double precision[]) with ordinality as item (embedder_id, weight, position)
    returning ${COLUMNS}`,
});
const SELECT = statement({
  name: 'space_embedders.select',
  purpose: 'The embedders of spaces with their weights',
  text: `select ${COLUMNS} from space_embedder where space_id = any($1::uuid[]) order by space_id, position`,
});

/** Attaches embedders in the given order. Returns their rows in that order. */
export function insertSpaceEmbedders(
  q: Queryable,
  space: { spaceId: string; createdById: string; embedders: readonly { embedderId: string; weight: number }[] },
  options?: StatementOptions,
): Promise<SpaceEmbedderRow[]> {
  const ids = space.embedders.map(({ embedderId }) => embedderId);
  const weights = space.embedders.map(({ weight }) => weight);
  return q.query<SpaceEmbedderRow>(INSERT, [space.spaceId, ids, weights, space.createdById], options);
}

/** The embedders of these spaces, each in the order of its space. */
export function selectSpaceEmbedders(
  q: Queryable,
  spaceIds: readonly string[],
  options?: StatementOptions,
): Promise<SpaceEmbedderRow[]> {
  return q.query<SpaceEmbedderRow>(SELECT, [spaceIds], options);
}
