import { type RoleName, SHARING_ROLES } from '../../shared/identity.ts';
import type { CallOptions, Queryable } from './db.ts';

export interface EmbedderRow {
  embedderId: string;
  ownerId: string;
  /** Decides whether the embedder is shared. */
  ownerRole: RoleName;
  displayName: string;
  description: string;
  providerType: string;
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  dimensionality: number;
  distributionType: string;
  maxSequenceLength: number | null;
  supportedModalities: string[];
  labels: Record<string, string>;
  version: string;
  monitoringEndpoint: string;
  /** JSON as the service made it, any secret in it sealed; null without credentials. */
  credentials: unknown;
  credentialFingerprint: string;
  /** Equal for two embedders that are the same target. */
  targetFingerprint: string;
  createdAt: number;
  updatedAt: number;
  createdById: string;
  updatedById: string;
}

/** What an update may write. */
export type EmbedderContent = Omit<
  EmbedderRow,
  'ownerId' | 'ownerRole' | 'providerType' | 'createdAt' | 'updatedAt' | 'createdById' | 'updatedById'
>;
export type NewEmbedder = EmbedderContent & Pick<EmbedderRow, 'ownerId' | 'providerType' | 'createdById'>;

const COLUMNS = `e.embedder_id as "embedderId", e.owner_id as "ownerId", u.role as "ownerRole",
  e.display_name as "displayName", e.description, e.provider_type as "providerType", e.endpoint_url as "endpointUrl",
  e.api_path as "apiPath", e.model_identifier as "modelIdentifier", e.dimensionality,
  e.distribution_type as "distributionType", e.max_sequence_length as "maxSequenceLength",
  e.supported_modalities as "supportedModalities", e.labels, e.version, e.monitoring_endpoint as "monitoringEndpoint",
  e.credentials, e.credential_fingerprint as "credentialFingerprint", e.target_fingerprint as "targetFingerprint",
  e.created_at as "createdAt", e.updated_at as "updatedAt", e.created_by_id as "createdById",
  e.updated_by_id as "updatedById"`;
const FROM = 'from embedder e join app_user u on u.user_id = e.owner_id';
const NEWEST_FIRST = 'order by e.created_at desc, e.embedder_id desc';

/** Columns that an insert and an update write alike, with their casts; parameters follow in this order. */
const CONTENT = [
  ['display_name', ''],
  ['description', ''],
  ['endpoint_url', ''],
  ['api_path', ''],
  ['model_identifier', ''],
  ['dimensionality', ''],
  ['distribution_type', ''],
  ['max_sequence_length', ''],
  ['supported_modalities', '::text[]'],
  ['labels', '::jsonb'],
  ['version', ''],
  ['monitoring_endpoint', ''],
  ['credentials', '::jsonb'],
  ['credential_fingerprint', ''],
  ['target_fingerprint', ''],
] as const;

const contentValues = (embedder: EmbedderContent) => [
  embedder.displayName,
  embedder.description,
  embedder.endpointUrl,
  embedder.apiPath,
  embedder.modelIdentifier,
  embedder.dimensionality,
  embedder.distributionType,
  embedder.maxSequenceLength,
  embedder.supportedModalities,
  JSON.stringify(embedder.labels),
  embedder.version,
  embedder.monitoringEndpoint,
  embedder.credentials === null ? null : JSON.stringify(embedder.credentials),
  embedder.credentialFingerprint,
  embedder.targetFingerprint,
];

const INSERT = {
  name: 'embedders.insert',
  text: `with e as (
      insert into embedder (embedder_id, owner_id, provider_type, created_at, updated_at, created_by_id, updated_by_id,
        ${CONTENT.map(([column]) => column).join(', ')})
      values ($1, $2, $3, now(), now(), $4, $4,
        ${CONTENT.map(([, cast], index) => `$${index + 5}${cast}`).join(', ')})
      returning *
    ) select ${COLUMNS} from e join app_user u on u.user_id = e.owner_id`,
};

/** Never the same time twice: clients of an embedder are kept by the time of its last change. */
const UPDATE = {
  name: 'embedders.update',
  text: `with e as (
      update embedder set updated_at = greatest(now(), updated_at + interval '1 millisecond'), updated_by_id = $2,
        ${CONTENT.map(([column, cast], index) => `${column} = $${index + 3}${cast}`).join(', ')}
      where embedder_id = $1
      returning *
    ) select ${COLUMNS} from e join app_user u on u.user_id = e.owner_id`,
};
const SELECT_MANY = {
  name: 'embedders.select_many',
  text: `select ${COLUMNS} ${FROM} where e.embedder_id = any($1::uuid[])`,
};
const SELECT_TO_ATTACH = {
  name: 'embedders.select_to_attach',
  text: `select ${COLUMNS} ${FROM} where e.embedder_id = any($1::uuid[]) order by e.embedder_id for key share of e`,
};
const SELECT_DEFAULT = {
  name: 'embedders.select_default',
  text: `select ${COLUMNS} ${FROM} where u.role = 'ROOT' and e.labels @> '{"default": "true"}'
    order by e.created_at, e.embedder_id limit 1 for key share of e`,
};
const SELECT_FOR_UPDATE = {
  name: 'embedders.select_for_update',
  text: `select ${COLUMNS} ${FROM} where e.embedder_id = $1 for update of e`,
};
const SELECT_LIST = {
  name: 'embedders.select_list',
  text: `select ${COLUMNS} ${FROM}
    where ($1::text[] is null or u.role = any($1) or e.owner_id = $2)
      and ($3::uuid is null or e.owner_id = $3)
      and ($4::text is null or e.provider_type = $4)
      and e.labels @> $5::jsonb
    ${NEWEST_FIRST}`,
};
const IS_USED = {
  name: 'embedders.is_used',
  text: 'select exists (select from space_embedder where embedder_id = $1) as "isUsed"',
};
const DELETE = { name: 'embedders.delete', text: 'delete from embedder where embedder_id = $1' };

/** Throws ALREADY_EXISTS for a taken id and for a second embedder of the owner with the same target. */
export async function insertEmbedder(
  q: Queryable,
  embedder: NewEmbedder,
  options?: CallOptions,
): Promise<EmbedderRow | undefined> {
  const { embedderId, ownerId, providerType, createdById } = embedder;
  const values = [embedderId, ownerId, providerType, createdById, ...contentValues(embedder)];
  const [row] = await q.query<EmbedderRow>(INSERT, values, options);
  return row;
}

/** Throws ALREADY_EXISTS when the owner has another embedder with the same target. */
export async function updateEmbedderRow(
  q: Queryable,
  embedder: EmbedderContent,
  updatedById: string,
  options?: CallOptions,
): Promise<EmbedderRow | undefined> {
  const values = [embedder.embedderId, updatedById, ...contentValues(embedder)];
  const [row] = await q.query<EmbedderRow>(UPDATE, values, options);
  return row;
}

/** In no particular order; ids that do not exist are left out. */
export function selectEmbedders(q: Queryable, ids: readonly string[], options?: CallOptions): Promise<EmbedderRow[]> {
  return q.query<EmbedderRow>(SELECT_MANY, [ids], options);
}

/** As `selectEmbedders`, and none of them can be deleted or change its vectors before the transaction ends. */
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

/** Locks the embedder until the transaction ends: meanwhile no space can begin to use it. */
export async function selectEmbedderForUpdate(
  q: Queryable,
  embedderId: string,
  options?: CallOptions,
): Promise<EmbedderRow | undefined> {
  const [row] = await q.query<EmbedderRow>(SELECT_FOR_UPDATE, [embedderId], options);
  return row;
}

export interface EmbedderListFilter {
  /** `all`, or shared ones only, or also those of this user. */
  visible: 'all' | 'shared' | { ownerId: string };
  ownerId: string | undefined;
  providerType: string | undefined;
  labels: Record<string, string>;
}

/** Newest first. */
export function selectEmbedderList(
  q: Queryable,
  filter: EmbedderListFilter,
  options?: CallOptions,
): Promise<EmbedderRow[]> {
  const { visible } = filter;
  const values = [
    visible === 'all' ? null : SHARING_ROLES,
    typeof visible === 'string' ? null : visible.ownerId,
    filter.ownerId ?? null,
    filter.providerType ?? null,
    JSON.stringify(filter.labels),
  ];
  return q.query<EmbedderRow>(SELECT_LIST, values, options);
}

export async function isEmbedderUsed(q: Queryable, embedderId: string, options?: CallOptions): Promise<boolean> {
  const [row] = await q.query<{ isUsed: boolean }>(IS_USED, [embedderId], options);
  return row?.isUsed === true;
}

export async function deleteEmbedderRow(q: Queryable, embedderId: string, options?: CallOptions): Promise<void> {
  await q.execute(DELETE, [embedderId], options);
}
