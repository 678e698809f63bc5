import type { Guard } from '../context.ts';
import type { Queryable, StatementOptions } from './db.ts';
import {
  afterPosition,
  type Keyset,
  labelFilterJson,
  orderBy,
  type PageOrder,
  type PagePosition,
  positionValues,
} from './list-query.ts';
import { statement } from './statement.ts';
import type { VectorLayout } from './vector-layout.ts';

export interface SpaceRow {
  spaceId: string;
  ownerId: string;
  name: string;
  description: string | null;
  labels: Record<string, string>;
  publicRead: boolean;
  /** JSON as the service wrote it. */
  chunkingConfig: unknown;
  retentionDays: number | null;
  /** How long its memories wait for an unavailable provider. */
  giveUpAfterMinutes: number;
  /** What its vector indexes have of its vectors; null for all of them. */
  vectorQuantization: 'BINARY' | null;
  createdAt: number;
  updatedAt: number;
  createdById: string;
  updatedById: string;
}

/** An embedder as a space uses it. */
export interface SpaceEmbedder {
  embedderId: string;
  defaultRetrievalWeight: number;
  /** Vectors of completed memories. */
  vectorCount: number;
  /** Where its vectors are. */
  layout: VectorLayout;
  createdAt: number;
  updatedAt: number;
  createdById: string;
  updatedById: string;
}

/** What the API returns of an embedder of a space. */
type AttachedEmbedder = Omit<SpaceEmbedder, 'vectorCount' | 'layout'>;

export interface SpaceWithEmbedders extends SpaceRow {
  /** In the order of the space. */
  embedders: AttachedEmbedder[];
}

export type SpaceContent = Pick<
  SpaceRow,
  'spaceId' | 'name' | 'labels' | 'publicRead' | 'retentionDays' | 'giveUpAfterMinutes'
>;
type NewSpace = SpaceContent &
  Pick<SpaceRow, 'ownerId' | 'description' | 'chunkingConfig' | 'vectorQuantization' | 'createdById'>;

export type SpaceSort = 'created_time' | 'updated_time' | 'name';

export interface SpaceListFilter {
  /** Undefined for every owner. */
  ownerId: string | undefined;
  publicOnly: boolean;
  /** Undefined for all spaces. */
  spaceIds: readonly string[] | undefined;
  /** Pattern for `ilike`. */
  namePattern: string | undefined;
  labels: Record<string, string>;
}

interface SpaceListPage {
  sort: SpaceSort;
  order: PageOrder;
  limit: number;
  /** `[value of the sort column, spaceId]`. */
  after: PagePosition | undefined;
}

const COLUMNS = `space_id as "spaceId", owner_id as "ownerId", name, description, labels, public_read as "publicRead",
  chunking_config as "chunkingConfig", retention_days as "retentionDays",
  give_up_after_minutes as "giveUpAfterMinutes", vector_quantization as "vectorQuantization", created_at as "createdAt", updated_at as "updatedAt",
  created_by_id as "createdById", updated_by_id as "updatedById"`;
/** Subquery for the embedders of the current row of `space`. */
const EMBEDDERS = `(select coalesce(json_agg(json_build_object('embedderId', e.embedder_id,
      'defaultRetrievalWeight', e.default_retrieval_weight,
      'createdAt', (extract(epoch from e.created_at) * 1000)::bigint,
      'updatedAt', (extract(epoch from e.updated_at) * 1000)::bigint,
      'createdById', e.created_by_id, 'updatedById', e.updated_by_id) order by e.position), '[]')
    from space_embedder e where e.space_id = space.space_id) as embedders`;

const INSERT = statement({
  name: 'spaces.insert',
  purpose: 'Adds a space',
  text: `insert into space (space_id, owner_id, name, description, labels, public_read, chunking_config, retention_days,
      give_up_after_minutes, created_at, updated_at, created_by_id, updated_by_id, vector_quantization)
    values ($1, $2, $3, $4, $5::jsonb, $6, $7::jsonb, $8, $9, now(), now(), $10, $10, $11)
    returning ${COLUMNS}`,
});
/** The planner does not see how many ids there are, and so keeps its plan: for a few it would make a new one every time. */
const SELECT = statement({
  name: 'spaces.select',
  purpose: 'Spaces by id',
  text: `select ${COLUMNS} from space where space_id = any (array(select unnest($1::uuid[])))`,
});
const SELECT_WITH_EMBEDDERS = statement({
  name: 'spaces.select_with_embedders',
  purpose: 'A space by id, with its embedders and their weights',
  text: `select ${COLUMNS}, ${EMBEDDERS} from space where space_id = $1`,
});
const SELECT_FOR_UPDATE = statement({
  name: 'spaces.select_for_update',
  purpose: 'A space by id, locked for a change',
  text: `select ${COLUMNS}, ${EMBEDDERS} from space where space_id = $1 for no key update`,
});
const SELECT_FOR_DELETE = statement({
  name: 'spaces.select_for_delete',
  purpose: 'A space by id, locked for its deletion: no memory can be added either',
  text: `select ${COLUMNS}, ${EMBEDDERS} from space where space_id = $1 for update`,
});
const UPDATE = statement({
  name: 'spaces.update',
  purpose: 'Changes a space',
  text: `update space set name = $2, labels = $3::jsonb, public_read = $4, retention_days = $5,
      give_up_after_minutes = $6, updated_at = now(), updated_by_id = $7
    where space_id = $1 returning ${COLUMNS}, ${EMBEDDERS}`,
});

/** Names sort by code point, in the same order on every database and after every upgrade of its locales. */
const SORT_COLUMNS: Record<SpaceSort, readonly [expression: string, type: string]> = {
  created_time: ['created_at', 'timestamptz'],
  updated_time: ['updated_at', 'timestamptz'],
  name: ['name collate "C"', 'text'],
};

/** Throws ALREADY_EXISTS for a duplicate id, and for a duplicate name of the owner. */
export async function insertSpace(
  q: Queryable,
  space: NewSpace,
  options?: StatementOptions,
): Promise<SpaceRow | undefined> {
  const values = [
    space.spaceId,
    space.ownerId,
    space.name,
    space.description,
    JSON.stringify(space.labels),
    space.publicRead,
    JSON.stringify(space.chunkingConfig),
    space.retentionDays,
    space.giveUpAfterMinutes,
    space.createdById,
    space.vectorQuantization,
  ];
  const [row] = await q.query<SpaceRow>(INSERT, values, options);
  return row;
}

export async function selectSpace(
  q: Queryable,
  spaceId: string,
  options?: StatementOptions,
): Promise<SpaceRow | undefined> {
  const [row] = await selectSpaces(q, [spaceId], options);
  return row;
}

/** The same as a guard; `judge` may throw. */
export function selectSpaceGuard(spaceId: string, judge: (space: SpaceRow | undefined) => void): Guard {
  return { statement: SELECT, values: [[spaceId]], check: ([row]) => judge(row as SpaceRow | undefined) };
}

/** In no particular order; ids that do not exist are left out. */
export function selectSpaces(q: Queryable, ids: readonly string[], options?: StatementOptions): Promise<SpaceRow[]> {
  return q.query<SpaceRow>(SELECT, [ids], options);
}

export async function selectSpaceWithEmbedders(
  q: Queryable,
  spaceId: string,
  options?: StatementOptions,
): Promise<SpaceWithEmbedders | undefined> {
  const [row] = await q.query<SpaceWithEmbedders>(SELECT_WITH_EMBEDDERS, [spaceId], options);
  return row;
}

/** Locks the space against other changes until the transaction ends. */
export async function selectSpaceForUpdate(
  q: Queryable,
  spaceId: string,
  options?: StatementOptions,
): Promise<SpaceWithEmbedders | undefined> {
  const [row] = await q.query<SpaceWithEmbedders>(SELECT_FOR_UPDATE, [spaceId], options);
  return row;
}

/** Locks the space against other changes and new memories until the transaction ends. */
export async function selectSpaceForDelete(
  q: Queryable,
  spaceId: string,
  options?: StatementOptions,
): Promise<SpaceWithEmbedders | undefined> {
  const [row] = await q.query<SpaceWithEmbedders>(SELECT_FOR_DELETE, [spaceId], options);
  return row;
}

/** Throws ALREADY_EXISTS for a duplicate name of the owner. */
export async function updateSpaceRow(
  q: Queryable,
  space: SpaceContent,
  updatedById: string,
  options?: StatementOptions,
): Promise<SpaceWithEmbedders | undefined> {
  const labels = JSON.stringify(space.labels);
  const { spaceId, name, publicRead, retentionDays, giveUpAfterMinutes } = space;
  const values = [spaceId, name, labels, publicRead, retentionDays, giveUpAfterMinutes, updatedById];
  const [row] = await q.query<SpaceWithEmbedders>(UPDATE, values, options);
  return row;
}

/**
 * One page of a list. The SQL depends on the filter and is not prepared: one generic statement for all combinations would
 * have to scan the whole table.
 */
export function selectSpaceList(
  q: Queryable,
  filter: SpaceListFilter,
  page: SpaceListPage,
  options?: StatementOptions,
): Promise<SpaceWithEmbedders[]> {
  const keyset: Keyset = { columns: [SORT_COLUMNS[page.sort], ['space_id', 'uuid']], order: page.order };
  const values: unknown[] = [page.limit];
  const conditions: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (filter.ownerId !== undefined) add((p) => `owner_id = ${p}`, filter.ownerId);
  if (filter.publicOnly) conditions.push('public_read');
  if (filter.spaceIds !== undefined) add((p) => `space_id = any(${p}::uuid[])`, filter.spaceIds);
  // This collation maps case in all scripts on every PostgreSQL 17, whatever the locale of the database.
  if (filter.namePattern !== undefined) add((p) => `name collate pg_c_utf8 ilike ${p}`, filter.namePattern);
  if (Object.keys(filter.labels).length > 0) add((p) => `labels @> ${p}::jsonb`, labelFilterJson(filter.labels));
  if (page.after !== undefined) {
    conditions.push(afterPosition(keyset, values.length + 1));
    values.push(...positionValues(keyset, page.after));
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const text = `select ${COLUMNS}, ${EMBEDDERS} from space ${where} ${orderBy(keyset)} limit $1`;
  return q.query<SpaceWithEmbedders>({ name: 'spaces.select_list', text, prepare: false }, values, options);
}
