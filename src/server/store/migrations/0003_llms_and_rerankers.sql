-- The other inference targets. What they have in common with embedder has the same names there: their statements are
-- made from one list of columns.

create table llm (
  llm_id uuid primary key,
  owner_id uuid not null constraint llm_owner references app_user,
  display_name text not null constraint llm_display_name_length check (char_length(display_name) between 1 and 255),
  description text not null default '',
  provider_type text not null,
  endpoint_url text not null,
  api_path text not null default '',
  model_identifier text not null
    constraint llm_model_identifier_length check (char_length(model_identifier) between 1 and 255),
  capabilities jsonb not null,
  default_sampling_params jsonb,
  max_context_length integer constraint llm_max_context_length check (max_context_length > 0),
  -- Merged into the body of every call to the provider.
  client_config jsonb,
  supported_modalities text[] not null,
  labels jsonb not null default '{}',
  version text not null default '',
  monitoring_endpoint text not null default '',
  -- Any secret in it is sealed with the secrets key of the server.
  credentials jsonb,
  credential_fingerprint text not null default '',
  -- Digest of what makes two LLMs the same.
  target_fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  constraint llm_same_target unique (owner_id, target_fingerprint)
);
create index llm_created on llm (created_at, llm_id);

create table reranker (
  reranker_id uuid primary key,
  owner_id uuid not null constraint reranker_owner references app_user,
  display_name text not null
    constraint reranker_display_name_length check (char_length(display_name) between 1 and 255),
  description text not null default '',
  provider_type text not null,
  endpoint_url text not null,
  api_path text not null default '',
  model_identifier text not null
    constraint reranker_model_identifier_length check (char_length(model_identifier) between 1 and 255),
  supported_modalities text[] not null,
  labels jsonb not null default '{}',
  version text not null default '',
  monitoring_endpoint text not null default '',
  -- Any secret in it is sealed with the secrets key of the server.
  credentials jsonb,
  credential_fingerprint text not null default '',
  -- Digest of what makes two rerankers the same.
  target_fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  constraint reranker_same_target unique (owner_id, target_fingerprint)
);
create index reranker_created on reranker (created_at, reranker_id);
