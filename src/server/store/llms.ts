import { statement } from './statement.ts';
import { createTargetStore, jsonOrNull, type TargetRow, type TargetStatements } from './targets.ts';

/** What only an LLM has. */
export interface LlmOwn {
  /** JSON as the service wrote it. */
  capabilities: unknown;
  /** JSON as the service wrote it; null when none were given. */
  defaultSamplingParams: unknown;
  /** Tokens. */
  maxContextLength: number | null;
  /** JSON as the service wrote it; null when none was given. */
  clientConfig: unknown;
}

export type LlmRow = TargetRow<LlmOwn>;

const COLUMNS = `t.llm_id as "id", u.role as "ownerRole", t.owner_id as "ownerId", t.provider_type as "providerType",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.created_by_id as "createdById",
  t.updated_by_id as "updatedById", t.display_name as "displayName", t.description, t.endpoint_url as "endpointUrl",
  t.api_path as "apiPath", t.model_identifier as "modelIdentifier", t.supported_modalities as "supportedModalities",
  t.labels, t.version, t.monitoring_endpoint as "monitoringEndpoint", t.credentials,
  t.credential_fingerprint as "credentialFingerprint", t.target_fingerprint as "targetFingerprint",
  t.capabilities, t.default_sampling_params as "defaultSamplingParams", t.max_context_length as "maxContextLength",
  t.client_config as "clientConfig"`;

const STATEMENTS: TargetStatements = {
  insert: statement({
    name: 'llms.insert',
    purpose: 'Adds an LLM',
    text: `with t as (
        insert into llm (llm_id, owner_id, provider_type, created_at, updated_at, created_by_id, updated_by_id,
          display_name, description, endpoint_url, api_path, model_identifier, supported_modalities, labels, version,
          monitoring_endpoint, credentials, credential_fingerprint, target_fingerprint,
          capabilities, default_sampling_params, max_context_length, client_config)
        values ($1, $2, $3, now(), now(), $4, $4,
          $5, $6, $7, $8, $9, $10::text[], $11::jsonb, $12,
          $13, $14::jsonb, $15, $16,
          $17::jsonb, $18::jsonb, $19, $20::jsonb)
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  update: statement({
    name: 'llms.update',
    purpose: 'Changes an LLM',
    text: `with t as (
        update llm set updated_at = greatest(now(), updated_at + interval '1 millisecond'), updated_by_id = $2,
          display_name = $3, description = $4, endpoint_url = $5, api_path = $6, model_identifier = $7,
          supported_modalities = $8::text[], labels = $9::jsonb, version = $10, monitoring_endpoint = $11,
          credentials = $12::jsonb, credential_fingerprint = $13, target_fingerprint = $14,
          capabilities = $15::jsonb, default_sampling_params = $16::jsonb, max_context_length = $17,
          client_config = $18::jsonb
        where llm_id = $1
        returning *
      )
      select ${COLUMNS} from t join app_user u on u.user_id = t.owner_id`,
  }),
  selectMany: statement({
    name: 'llms.select_many',
    purpose: 'LLMs by id, with the roles of their owners',
    text: `select ${COLUMNS} from llm t join app_user u on u.user_id = t.owner_id
      where t.llm_id = any($1::uuid[])`,
  }),
  selectForUpdate: statement({
    name: 'llms.select_for_update',
    purpose: 'An LLM by id, locked for a change',
    text: `select ${COLUMNS} from llm t join app_user u on u.user_id = t.owner_id
      where t.llm_id = $1 for update of t`,
  }),
  selectList: statement({
    name: 'llms.select_list',
    purpose: 'The LLMs that a caller may see, newest first',
    text: `select ${COLUMNS} from llm t join app_user u on u.user_id = t.owner_id
      where ($1::text[] is null or u.role = any($1) or t.owner_id = $2)
        and ($3::uuid is null or t.owner_id = $3)
        and ($4::text is null or t.provider_type = $4)
        and t.labels @> $5::jsonb
      order by t.created_at desc, t.llm_id desc`,
  }),
  delete: statement({
    name: 'llms.delete',
    purpose: 'Removes an LLM',
    text: 'delete from llm where llm_id = $1',
  }),
};

export const llmStore = createTargetStore<LlmOwn>(STATEMENTS, (own) => [
  jsonOrNull(own.capabilities),
  jsonOrNull(own.defaultSamplingParams),
  own.maxContextLength,
  jsonOrNull(own.clientConfig),
]);
