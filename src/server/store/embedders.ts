import type { Queryable, StatementOptions } from './db.ts';
import type { SpaceEmbedder } from './spaces.ts';
import { digest, statement } from './statement.ts';
import { createTargetStore, type TargetRow, type TargetStatements } from './targets.ts';
import { layoutColumn } from './vector-layout.ts';

/** What only an embedder has. */
export interface EmbedderOwn {
  dimensionality: number;
  distributionType: string;
  maxSequenceLength: number | null;
}

export type EmbedderRow = TargetRow<EmbedderOwn>;

const COLUMNS = `t.embedder_id as "id", u.role as "ownerRole", t.owner_id as "ownerId", t.provider_type as "providerType",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.created_by_id as "createdById",
  t.updated_by_id as "updatedById", t.display_name as "displayName", t.description, t.endpoint_url as "endpointUrl",
  t.api_path as "apiPath", t.model_identifier as "modelIdentifier", t.supported_modalities as "supportedModalities",
  t.labels, t.version, t.monitoring_endpoint as "monitoringEndpoint", t.credentials,
  t.credential_fingerprint as "credentialFingerprint", t.target_fingerprint as "targetFingerprint",
  t.dimensionality, t.distribution_type as "distributionType", t.max_sequence_length as "maxSequenceLength"`;

const STATEMENTS: TargetStatements = {
  insert: statement({
    name: 'embedders.insert',
    purpose: 'Adds an embedder',
    text: `with t as (
        insert into embedder (embedder_id, owner_id, provider_type, created_at, updated_at, created_by_id, updated_by_id,
          display_name, description, endpoint_url, api_path, model_identifier, supported_modalities, labels, version,
          monitoring_endpoint, credentials, credential_fingerprint, target_fingerprint,
          dimensionality, distribution_type, max_sequence_length)
        values ($1, $2, $3, now(), now(), $4, $4,
          $5, $6, $7, $8, $9, $10::text[], $11::jsonb, $12,
          $13, $14::jsonb, $15, $16,
          $17, $18, $19)
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  update: statement({
    name: 'embedders.update',
    purpose: 'Changes an embedder',
    text: `with t as (
        update embedder set updated_at = greatest(now(), updated_at + interval '1 millisecond'), updated_by_id = $2,
          display_name = $3, description = $4, endpoint_url = $5, api_path = $6, model_identifier = $7,
          supported_modalities = $8::text[], labels = $9::jsonb, version = $10, monitoring_endpoint = $11,
          credentials = $12::jsonb, credential_fingerprint = $13, target_fingerprint = $14,
          dimensionality = $15, distribution_type = $16, max_sequence_length = $17
        where embedder_id = $1
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  selectMany: statement({
    name: 'embedders.select_many',
    purpose: 'Embedders by id, with the roles of their owners',
    text: `select ${COLUMNS} from embedder t join app_user u on u.user_id = t.owner_id
      where t.embedder_id = any (array(select unnest($1::uuid[])))`,
  }),
  selectForUpdate: statement({
    name: 'embedders.select_for_update',
    purpose: 'An embedder by id, locked for a change',
    text: `select ${COLUMNS} from embedder t join app_user u on u.user_id = t.owner_id
      where t.embedder_id = $1 for update of t`,
  }),
  selectList: statement({
    name: 'embedders.select_list',
    purpose: 'The embedders that a caller may see, newest first',
    text: `select ${COLUMNS} from embedder t join app_user u on u.user_id = t.owner_id
      where ($1::text[] is null or u.role = any($1) or t.owner_id = $2)
        and ($3::uuid is null or t.owner_id = $3)
        and ($4::text is null or t.provider_type = $4)
        and t.labels @> $5::jsonb
      order by t.created_at desc, t.embedder_id desc`,
  }),
  delete: statement({
    name: 'embedders.delete',
    purpose: 'Removes an embedder',
    text: 'delete from embedder where embedder_id = $1',
  }),
};

const SELECT_TO_ATTACH = statement({
  name: 'embedders.select_to_attach',
  purpose: 'Embedders to attach to a space, locked against deletion and change',
  text: `select ${COLUMNS} from embedder t join app_user u on u.user_id = t.owner_id
    where t.embedder_id = any($1::uuid[]) order by t.embedder_id for key share of t`,
});
const SELECT_DEFAULT = statement({
  name: 'embedders.select_default',
  purpose: 'The embedder of a space that is created without embedders',
  text: `select ${COLUMNS} from embedder t join app_user u on u.user_id = t.owner_id
    where u.role = 'ROOT' and t.labels @> '{"default": "true"}'
    order by t.created_at, t.embedder_id limit 1 for key share of t`,
});
/**
 * Subquery for the version of a space as a search sees it: a digest of who may read it and of its embedders, with all their
 * columns. Not of the counts of its vectors, which change with every memory.
 */
export const spaceVersion = (spaceId: string) => `(select ${digest(`concat(vs.owner_id, vs.public_read, string_agg(
        concat(row(va.position, va.embedder_id, va.default_retrieval_weight, va.layout_version, va.segments), vt, vu.role), ''
        order by va.position))`)}
      from space vs
        left join space_embedder va on va.space_id = vs.space_id
        left join embedder vt on vt.embedder_id = va.embedder_id
        left join app_user vu on vu.user_id = vt.owner_id
      where vs.space_id = ${spaceId} group by vs.space_id)`;

const SELECT_TO_SEARCH = statement({
  name: 'embedders.select_to_search',
  purpose: 'Spaces to search, with their embedders',
  text: `select s.space_id as "spaceId", s.owner_id as "spaceOwnerId", s.public_read as "publicRead",
      ${spaceVersion('s.space_id')} as "spaceVersion", a.default_retrieval_weight as "defaultRetrievalWeight",
      a.vector_count as "vectorCount", ${layoutColumn('a')}, ${COLUMNS}
    from space s
      left join space_embedder a on a.space_id = s.space_id
      left join embedder t on t.embedder_id = a.embedder_id
      left join app_user u on u.user_id = t.owner_id
    where s.space_id = any($1::uuid[]) order by s.space_id, a.position`,
});
const SELECT_TO_PROBE = statement({
  name: 'embedders.select_to_probe',
  purpose: 'Embedders for a diagnosis to probe, those that spaces use first',
  text: `select count(*) over () as total,
      exists (select from space_embedder a where a.embedder_id = t.embedder_id) as "isUsed", ${COLUMNS}
    from embedder t join app_user u on u.user_id = t.owner_id
    order by "isUsed" desc, t.created_at, t.embedder_id limit $1`,
});
const IS_USED = statement({
  name: 'embedders.is_used',
  purpose: 'Whether a space uses an embedder',
  text: 'select exists (select from space_embedder where embedder_id = $1) as "isUsed"',
});

export const embedderStore = createTargetStore<EmbedderOwn>(STATEMENTS, (own) => [
  own.dimensionality,
  own.distributionType,
  own.maxSequenceLength,
]);

/**
 * In no particular order; ids that do not exist are left out. Until the transaction ends, none of them can be deleted, nor
 * changed in a way that changes its vectors.
 */
export function selectEmbeddersToAttach(
  q: Queryable,
  ids: readonly string[],
  options?: StatementOptions,
): Promise<EmbedderRow[]> {
  return q.query<EmbedderRow>(SELECT_TO_ATTACH, [ids], options);
}

/** The oldest embedder of ROOT that is labeled as the default, locked as by `selectEmbeddersToAttach`. */
export async function selectDefaultEmbedder(
  q: Queryable,
  options?: StatementOptions,
): Promise<EmbedderRow | undefined> {
  const [row] = await q.query<EmbedderRow>(SELECT_DEFAULT, [], options);
  return row;
}

/** An embedder as one space uses it. */
export type SearchedEmbedderRow = EmbedderRow &
  Pick<SpaceEmbedder, 'defaultRetrievalWeight' | 'vectorCount' | 'layout'>;

/** A space with what a search needs. */
export interface SearchedSpace {
  spaceId: string;
  ownerId: string;
  publicRead: boolean;
  /** Another one after every change of it and of its embedders, but for the counts of vectors. */
  version: string;
  /** In the order of the space. */
  embedders: SearchedEmbedderRow[];
}

type SearchedRow = { spaceId: string; spaceOwnerId: string; publicRead: boolean; spaceVersion: string } & (
  | SearchedEmbedderRow
  | { id: null }
);

/** These spaces by id, with their embedders; ids that do not exist are left out. */
export async function selectSpacesToSearch(
  q: Queryable,
  spaceIds: readonly string[],
  options?: StatementOptions,
): Promise<Map<string, SearchedSpace>> {
  const spaces = new Map<string, SearchedSpace>();
  for (const row of await q.query<SearchedRow>(SELECT_TO_SEARCH, [spaceIds], options)) {
    const { spaceId, spaceOwnerId: ownerId, publicRead, spaceVersion: version } = row;
    const space = spaces.get(spaceId) ?? { spaceId, ownerId, publicRead, version, embedders: [] };
    spaces.set(spaceId, space);
    if (row.id !== null) space.embedders.push(row);
  }
  return spaces;
}

export type EmbedderToProbe = EmbedderRow & {
  /** At least one space uses it. */
  isUsed: boolean;
  /** Number of all embedders, including those beyond the limit. */
  total: number;
};

/** Embedders that spaces use come first, then the oldest. */
export function selectEmbeddersToProbe(
  q: Queryable,
  limit: number,
  options?: StatementOptions,
): Promise<EmbedderToProbe[]> {
  return q.query<EmbedderToProbe>(SELECT_TO_PROBE, [limit], options);
}

export async function isEmbedderUsed(q: Queryable, embedderId: string, options?: StatementOptions): Promise<boolean> {
  const [row] = await q.query<{ isUsed: boolean }>(IS_USED, [embedderId], options);
  return row?.isUsed === true;
}
