import { byteaArray, int4Array, textArray, uuidArray } from './binary.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { referringTo } from './errors.ts';
import { isUnexpired, type MemoryRow, memoryColumns, type ProcessingStatusName } from './memory-row.ts';
import { statement } from './statement.ts';

const JOB_TYPE = 'document_processor';

export interface NewMemory {
  memoryId: string;
  spaceId: string;
  contentId: string;
  contentLength: number;
  /** 32 bytes. */
  contentSha256: Buffer;
  contentRef: string | null;
  contentType: string;
  extractPageImages: boolean;
  metadata: Readonly<Record<string, unknown>>;
  chunkingConfig: unknown;
  expiresAt: Date | null;
  createdById: string;
  /** Maximum number of attempts of its job. */
  maxAttempts: number;
}

/** Where the bytes are: inline in one part (undefined for empty content), or staged under `contentId`. */
export type NewContent = { kind: 'inline'; data: Buffer | undefined } | { kind: 'staged' };

/** A memory with what permissions depend on. */
export interface OwnedMemoryRow extends MemoryRow {
  /** Owner of its space. */
  ownerId: string;
  publicRead: boolean;
}

/** What an update can change. */
interface MemoryContent {
  metadata: Readonly<Record<string, unknown>>;
  expiresAt: Date | null;
}

/** A job for each memory of `source`, due at once: the time is truncated to milliseconds, because the column would round it up. */
const insertJobs = (source: string, type: string, maxAttempts: string) =>
  `insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at, updated_at)
      select ${type}, s.owner_id, n.space_id, n.memory_id, 'PENDING', ${maxAttempts}, date_trunc('milliseconds', now()),
        now(), now()
      from ${source} n join space s on s.space_id = n.space_id`;

const NEW_COLUMNS = `memory_id, space_id, content_id, content_length, content_sha256, content_ref, content_type,
        extract_page_images, metadata, chunking_config, expires_at, created_at, updated_at, created_by_id, updated_by_id`;
/** Memory and job in one statement: all of it is stored, or nothing. */
const INSERT_STAGED = statement({
  name: 'memories.insert_staged',
  purpose: 'Stores a memory whose content was staged, with its job',
  text: `with staged as (
      delete from content_staging where space_id = $2 and content_id = $3 returning content_id
    ), created as (
      insert into memory (${NEW_COLUMNS})
      select $1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, now(), now(), $12, $12 from staged
      returning *
    ), queued as (
      ${insertJobs('created', '$13', '$14')}
    )
    select ${memoryColumns('created')} from created`,
});
/**
 * Memories, contents and jobs in one statement. It sets its own lock timeout, which the transaction of a single statement
 * takes with it when it ends: a transaction of several would cost two more round trips.
 */
const INSERT = statement({
  name: 'memories.insert',
  purpose: 'Stores memories of one space, each with its content of one part and its job',
  text: `with item as (
      select item.* from (
          select set_config('lock_timeout', coalesce($16, current_setting('lock_timeout')), true)
        ) patience (lock_timeout)
        cross join unnest($2::uuid[], $3::uuid[], $4::int4[], $5::bytea[], $6::text[], $7::text[], $8::text[],
          $9::text[], $10::text[], $11::text[], $12::uuid[], $13::bytea[]) as item (memory_id, content_id,
          content_length, content_sha256, content_ref, content_type, extract_page_images, metadata, chunking_config,
          expires_at, created_by_id, data)
      where patience.lock_timeout is not null
    ), created as (
      insert into memory (${NEW_COLUMNS})
      select memory_id, $1, content_id, content_length, content_sha256, content_ref, content_type,
        extract_page_images::boolean, metadata::jsonb, chunking_config::jsonb, expires_at::timestamptz, now(), now(),
        created_by_id, created_by_id
      from item
      returning *
    ), stored as (
      insert into content_part (space_id, content_id, part, data)
      select $1, content_id, 0, data from item where data is not null
    ), queued as (
      ${insertJobs('created', '$14', '$15')}
    )
    select ${memoryColumns('created')} from created`,
});
const SELECT = statement({
  name: 'memories.select',
  purpose: 'Memories by id, with what the permission to read them depends on',
  text: `select ${memoryColumns('m')}, s.owner_id as "ownerId", s.public_read as "publicRead"
    from memory m join space s using (space_id)
    where m.memory_id = any ($1::uuid[]) and ${isUnexpired('m')}`,
});
const SELECT_FOR_UPDATE = statement({
  name: 'memories.select_for_update',
  purpose: 'A memory by id, locked for a change',
  text: `${SELECT.text} for no key update of m`,
});
const UPDATE = statement({
  name: 'memories.update',
  purpose: 'Changes the metadata and the expiry of a memory',
  text: `update memory m set metadata = $3::jsonb, expires_at = $4, updated_at = now(), updated_by_id = $5
    where m.space_id = $1 and m.memory_id = $2 returning ${memoryColumns('m')}`,
});
/** Status and job in one statement: of concurrent calls only the first finds the memory COMPLETED or FAILED. */
const REQUEUE = statement({
  name: 'memories.requeue',
  purpose: 'Queues a memory to be processed again',
  text: `with again as (
      update memory m set processing_status = 'PENDING', failure_reason = null, updated_at = now(),
        updated_by_id = $3
      where m.space_id = $1 and m.memory_id = $2 and m.processing_status in ('COMPLETED', 'FAILED')
        and ${isUnexpired('m')}
      returning m.*
    ), queued as (
      ${insertJobs('again', '$4', '$5')}
    )
    select ${memoryColumns('again')} from again`,
});
const SELECT_STATUSES = statement({
  name: 'memories.select_statuses',
  purpose: 'The processing statuses of memories',
  text: `select memory_id as "memoryId", processing_status as "processingStatus" from memory
    where memory_id = any ($1::uuid[])`,
});
const SELECT_EXPIRED = statement({
  name: 'memories.select_expired',
  purpose: 'An expired memory that was not swept yet',
  text: `select ${memoryColumns('m')} from memory m where m.memory_id = $1 and not ${isUnexpired('m')}`,
});

/** A memory whose content is in one part. */
export interface InlineMemory {
  memory: NewMemory;
  content: Extract<NewContent, { kind: 'inline' }>;
}

/**
 * Stores memories of one space, all of them or none, and returns their rows in the same order. Throws ALREADY_EXISTS for a
 * duplicate id, NOT_FOUND when the space was deleted, and a conflict when it has waited for a lock for `lockTimeoutMs`.
 */
export async function insertMemories(
  q: Queryable,
  items: readonly InlineMemory[],
  { lockTimeoutMs, ...options }: StatementOptions & { lockTimeoutMs?: number } = {},
): Promise<MemoryRow[]> {
  const [first] = items;
  if (first === undefined) return [];
  const { spaceId, maxAttempts } = first.memory;
  const of = <T>(value: (memory: NewMemory) => T) => items.map(({ memory }) => value(memory));
  const values = [
    spaceId,
    uuidArray(of(({ memoryId }) => memoryId)),
    uuidArray(of(({ contentId }) => contentId)),
    int4Array(of(({ contentLength }) => contentLength)),
    byteaArray(of(({ contentSha256 }) => contentSha256)),
    textArray(of(({ contentRef }) => contentRef)),
    textArray(of(({ contentType }) => contentType)),
    textArray(of(({ extractPageImages }) => `${extractPageImages}`)),
    textArray(of(({ metadata }) => JSON.stringify(metadata))),
    textArray(of(({ chunkingConfig }) => (chunkingConfig === null ? null : JSON.stringify(chunkingConfig)))),
    textArray(of(({ expiresAt }) => expiresAt?.toISOString() ?? null)),
    uuidArray(of(({ createdById }) => createdById)),
    byteaArray(items.map(({ content }) => content.data ?? null)),
    JOB_TYPE,
    maxAttempts,
    lockTimeoutMs === undefined ? null : `${lockTimeoutMs}ms`,
  ];
  const rows = await referringTo({ kind: 'Space', id: spaceId }, q.query<MemoryRow>(INSERT, values, options));
  const byId = new Map(rows.map((row) => [row.memoryId, row]));
  return items.flatMap(({ memory }) => byId.get(memory.memoryId.toLowerCase()) ?? []);
}

/**
 * Stores a memory whose content is staged. Throws as `insertMemories`. Undefined when the staged content was swept; then
 * nothing is stored.
 */
export async function insertStagedMemory(
  q: Queryable,
  memory: NewMemory,
  options?: StatementOptions,
): Promise<MemoryRow | undefined> {
  const values = [
    memory.memoryId,
    memory.spaceId,
    memory.contentId,
    memory.contentLength,
    memory.contentSha256,
    memory.contentRef,
    memory.contentType,
    memory.extractPageImages,
    JSON.stringify(memory.metadata),
    memory.chunkingConfig === null ? null : JSON.stringify(memory.chunkingConfig),
    memory.expiresAt,
    memory.createdById,
    JOB_TYPE,
    memory.maxAttempts,
  ];
  const space = { kind: 'Space', id: memory.spaceId } as const;
  const [row] = await referringTo(space, q.query<MemoryRow>(INSERT_STAGED, values, options));
  return row;
}

/** In no particular order; ids of missing and expired memories are left out. */
export function selectMemories(
  q: Queryable,
  ids: readonly string[],
  options?: StatementOptions,
): Promise<OwnedMemoryRow[]> {
  return q.query<OwnedMemoryRow>(SELECT, [ids], options);
}

/** Locks the memory against other changes until the transaction ends. */
export async function selectMemoryForUpdate(
  tx: Queryable,
  memoryId: string,
  options?: StatementOptions,
): Promise<OwnedMemoryRow | undefined> {
  const [row] = await tx.query<OwnedMemoryRow>(SELECT_FOR_UPDATE, [[memoryId]], options);
  return row;
}

export async function updateMemoryRow(
  q: Queryable,
  { spaceId, memoryId }: { spaceId: string; memoryId: string },
  { metadata, expiresAt }: MemoryContent,
  updatedById: string,
  options?: StatementOptions,
): Promise<MemoryRow | undefined> {
  const values = [spaceId, memoryId, JSON.stringify(metadata), expiresAt, updatedById];
  const [row] = await q.query<MemoryRow>(UPDATE, values, options);
  return row;
}

/**
 * Sets a COMPLETED or FAILED memory to PENDING and queues a job that replaces its text, chunks and vectors. Undefined when
 * it has another status or no longer exists.
 */
export async function requeueMemory(
  q: Queryable,
  memory: { spaceId: string; memoryId: string; updatedById: string; maxAttempts: number },
  options?: StatementOptions,
): Promise<MemoryRow | undefined> {
  const values = [memory.spaceId, memory.memoryId, memory.updatedById, JOB_TYPE, memory.maxAttempts];
  const [row] = await q.query<MemoryRow>(REQUEUE, values, options);
  return row;
}

/** An expired memory whose row was not swept yet. */
export async function selectExpiredMemory(
  q: Queryable,
  memoryId: string,
  options?: StatementOptions,
): Promise<MemoryRow | undefined> {
  const [row] = await q.query<MemoryRow>(SELECT_EXPIRED, [memoryId], options);
  return row;
}

export function selectMemoryStatuses(
  q: Queryable,
  ids: readonly string[],
  options?: StatementOptions,
): Promise<{ memoryId: string; processingStatus: ProcessingStatusName }[]> {
  return q.query(SELECT_STATUSES, [ids], options);
}
