-- The first schema. Times keep milliseconds, the resolution of the interface, so that a page token or a comparison
-- never meets a fraction that a client cannot see. Whatever belongs to a space has space_id first in its key: rows of
-- a space lie side by side, and the schema can be distributed by space_id.

create extension if not exists vector;

create table server_state (
  key text primary key,
  value jsonb not null
);

create table app_user (
  user_id uuid primary key,
  email text not null constraint app_user_email_length check (char_length(email) between 3 and 320),
  display_name text not null constraint app_user_display_name_length check (char_length(display_name) between 1 and 255),
  username text constraint app_user_username_length check (char_length(username) between 1 and 64),
  role text not null constraint app_user_role check (role in ('ROOT', 'ADMIN', 'USER')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index app_user_email_key on app_user (lower(email));
create unique index app_user_username_key on app_user (username);
create unique index app_user_single_root on app_user (role) where role = 'ROOT';
create index app_user_created on app_user (created_at, user_id);

create table api_key (
  api_key_id uuid primary key,
  user_id uuid not null constraint api_key_user references app_user on delete cascade,
  -- SHA-256, or SHA3-256 when the server that made the key ran in FIPS mode; the raw key is nowhere.
  key_hash bytea not null constraint api_key_hash_key unique constraint api_key_hash_length check (octet_length(key_hash) = 32),
  key_prefix text not null,
  status text not null constraint api_key_status check (status in ('ACTIVE', 'INACTIVE')),
  labels jsonb not null default '{}',
  read_only boolean,
  space_ids uuid[],
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null
);
create index api_key_of_user on api_key (user_id, created_at desc, api_key_id desc);

create table embedder (
  embedder_id uuid primary key,
  owner_id uuid not null constraint embedder_owner references app_user,
  display_name text not null constraint embedder_display_name_length check (char_length(display_name) between 1 and 255),
  description text not null default '',
  provider_type text not null,
  endpoint_url text not null default '',
  api_path text not null default '',
  model_identifier text not null,
  dimensionality integer not null constraint embedder_dimensionality check (dimensionality between 1 and 16000),
  distribution_type text not null default 'DENSE',
  max_sequence_length integer,
  supported_modalities text[] not null,
  labels jsonb not null default '{}',
  version text not null default '',
  monitoring_endpoint text not null default '',
  -- Any secret in it is sealed with the secrets key of the server.
  credentials jsonb,
  credential_fingerprint text not null default '',
  -- Digest of what makes two embedders the same: the address alone may be longer than an index entry can be.
  target_fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  constraint embedder_same_target unique (owner_id, target_fingerprint)
);
create index embedder_created on embedder (created_at, embedder_id);

create table space (
  space_id uuid primary key,
  owner_id uuid not null constraint space_owner references app_user,
  name text not null constraint space_name_length check (char_length(name) between 1 and 255),
  description text,
  labels jsonb not null default '{}',
  public_read boolean not null default false,
  chunking_config jsonb not null,
  retention_days integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  constraint space_name_per_owner unique (owner_id, name)
);
create index space_created on space (created_at, space_id);
create index space_updated on space (updated_at, space_id);
create index space_public on space (created_at, space_id) where public_read;

create table space_embedder (
  space_id uuid not null constraint space_embedder_space references space on delete cascade,
  embedder_id uuid not null constraint space_embedder_embedder references embedder,
  position smallint not null,
  default_retrieval_weight double precision not null,
  -- Vectors of completed memories: what decides between an exact scan and an index.
  vector_count bigint not null default 0,
  -- Whether the space has a partition of its own in the embedder's vector table.
  own_partition boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  primary key (space_id, embedder_id)
);
create index space_embedder_of_embedder on space_embedder (embedder_id);

create table memory (
  space_id uuid not null constraint memory_space references space on delete cascade,
  memory_id uuid not null,
  content_id uuid not null,
  content_length bigint not null,
  content_sha256 bytea not null,
  content_ref text,
  content_type text not null,
  processing_status text not null default 'PENDING'
    constraint memory_processing_status check (processing_status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  page_image_status text not null default 'PENDING'
    constraint memory_page_image_status check (page_image_status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  page_image_count integer not null default 0,
  extract_page_images boolean not null default false,
  metadata jsonb not null default '{}',
  chunking_config jsonb,
  chunk_count integer not null default 0,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id uuid not null,
  updated_by_id uuid not null,
  primary key (space_id, memory_id)
);
create unique index memory_id_key on memory (memory_id);
create index memory_created on memory (space_id, created_at, memory_id);
create index memory_updated on memory (space_id, updated_at, memory_id);
create index memory_expiry on memory (expires_at) where expires_at is not null;

-- Content in parts of at most 1 MiB, so that neither a reader nor a writer holds more than a part at a time.
create table content_part (
  space_id uuid not null,
  content_id uuid not null,
  part integer not null,
  data bytea not null,
  primary key (space_id, content_id, part)
);
alter table content_part alter column data set storage external;

-- Content on its way in. The row goes when the memory is created; what is left behind by a broken upload is swept.
create table content_staging (
  space_id uuid not null,
  content_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (space_id, content_id)
);
create index content_staging_created on content_staging (created_at);

-- The extracted text in parts; start_offset counts code points.
create table text_part (
  space_id uuid not null,
  memory_id uuid not null,
  part integer not null,
  start_offset integer not null,
  data text not null,
  primary key (space_id, memory_id, part),
  constraint text_part_memory foreign key (space_id, memory_id) references memory on delete cascade
);

create table chunk (
  space_id uuid not null,
  memory_id uuid not null,
  sequence integer not null,
  chunk_id uuid not null,
  text text not null,
  start_offset integer not null,
  end_offset integer not null,
  vector_status text not null
    constraint chunk_vector_status check (vector_status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  metadata jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (space_id, memory_id, sequence),
  constraint chunk_memory foreign key (space_id, memory_id) references memory on delete cascade
);

-- Jobs outlive the memory that they were for, as history, until they are purged; they go with their space.
create table job (
  job_id bigint generated always as identity primary key,
  job_type text not null,
  space_id uuid not null,
  memory_id uuid not null,
  status text not null
    constraint job_status check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
  attempts integer not null default 0,
  max_attempts integer not null,
  run_at timestamptz(3) not null,
  lease_until timestamptz(3),
  locked_by text,
  -- Proves which claim a worker holds: a worker whose lease was taken over can write nothing more.
  lease_token uuid,
  -- Since when the provider has been away, and how often it was since then; such attempts are not counted.
  away_since timestamptz(3),
  away_attempts integer not null default 0,
  last_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index job_due on job (run_at, job_id) where status = 'PENDING';
create index job_leased on job (lease_until) where status = 'RUNNING';
create index job_of_memory on job (space_id, memory_id, job_id desc);
create index job_finished on job (updated_at) where status in ('SUCCEEDED', 'FAILED', 'CANCELED');

create table job_attempt (
  attempt_id bigint generated always as identity primary key,
  job_id bigint not null constraint job_attempt_job references job on delete cascade,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  ok boolean,
  worker_id text not null,
  status_message text,
  progress_current bigint not null default 0,
  progress_total bigint,
  progress_unit text,
  progress_updated_at timestamptz(3),
  error_message text,
  error_stacktrace text
);
create index job_attempt_of_job on job_attempt (job_id, attempt_id desc);
