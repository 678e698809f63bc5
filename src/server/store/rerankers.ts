import { statement } from './statement.ts';
import { createTargetStore, type TargetRow, type TargetStatements } from './targets.ts';

/** A reranker has no properties of its own. */
export type RerankerOwn = Record<never, never>;

export type RerankerRow = TargetRow<RerankerOwn>;

const COLUMNS = `t.reranker_id as "id", u.role as "ownerRole", t.owner_id as "ownerId", t.provider_type as "providerType",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.created_by_id as "createdById",
  t.updated_by_id as "updatedById", t.display_name as "displayName", t.description, t.endpoint_url as "endpointUrl",
  t.api_path as "apiPath", t.model_identifier as "modelIdentifier", t.supported_modalities as "supportedModalities",
  t.labels, t.version, t.monitoring_endpoint as "monitoringEndpoint", t.credentials,
  t.credential_fingerprint as "credentialFingerprint", t.target_fingerprint as "targetFingerprint"`;

const STATEMENTS: TargetStatements = {
  insert: statement({
    name: 'rerankers.insert',
    purpose: 'Adds a reranker',
    text: `with t as (
        insert into reranker (reranker_id, owner_id, provider_type, created_at, updated_at, created_by_id, updated_by_id,
          display_name, description, endpoint_url, api_path, model_identifier, supported_modalities, labels, version,
          monitoring_endpoint, credentials, credential_fingerprint, target_fingerprint)
        values ($1, $2, $3, now(), now(), $4, $4,
          $5, $6, $7, $8, $9, $10::text[], $11::jsonb, $12,
          $13, $14::jsonb, $15, $16)
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  update: statement({
    name: 'rerankers.update',
    purpose: 'Changes a reranker',
    text: `with t as (
        update reranker set updated_at = greatest(now(), updated_at + interval '1 millisecond'), updated_by_id = $2,
          display_name = $3, description = $4, endpoint_url = $5, api_path = $6, model_identifier = $7,
          supported_modalities = $8::text[], labels = $9::jsonb, version = $10, monitoring_endpoint = $11,
          credentials = $12::jsonb, credential_fingerprint = $13, target_fingerprint = $14
        where reranker_id = $1
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  selectMany: statement({
    name: 'rerankers.select_many',
    purpose: 'Rerankers by id, with the roles of their owners',
    text: `select ${COLUMNS} from reranker t join app_user u on u.user_id = t.owner_id
      where t.reranker_id = any($1::uuid[])`,
  }),
  selectForUpdate: statement({
    name: 'rerankers.select_for_update',
    purpose: 'A reranker by id, locked for a change',
    text: `select ${COLUMNS} from reranker t join app_user u on u.user_id = t.owner_id
      where t.reranker_id = $1 for update of t`,
  }),
  selectList: statement({
    name: 'rerankers.select_list',
    purpose: 'The rerankers that a caller may see, newest first',
    text: `select ${COLUMNS} from reranker t join app_user u on u.user_id = t.owner_id
      where ($1::text[] is null or u.role = any($1) or t.owner_id = $2)
        and ($3::uuid is null or t.owner_id = $3)
        and ($4::text is null or t.provider_type = $4)
        and t.labels @> $5::jsonb
      order by t.created_at desc, t.reranker_id desc`,
  }),
  delete: statement({
    name: 'rerankers.delete',
    purpose: 'Removes a reranker',
    text: 'delete from reranker where reranker_id = $1',
  }),
};

export const rerankerStore = createTargetStore<RerankerOwn>(STATEMENTS, () => []);
