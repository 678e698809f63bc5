import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Db } from '../../src/server/store/db.ts';
import { standInVector } from '../support/stand-ins/vector.ts';
import { OPENAI_DIMENSIONS, type Sent, type Site } from './kill.fixture.ts';

/** The memories that are stored out of those that were sent; throws when an accepted one is not. */
export async function storedOf(db: Db, sent: readonly Sent[]): Promise<Sent[]> {
  const rows = await sql<{ id: string }>(db, 'select memory_id as id from memory');
  const ids = new Set(rows.map(({ id }) => id));
  expect(sent.filter(({ accepted, memoryId }) => accepted && !ids.has(memoryId))).toEqual([]);
  const stored = sent.filter(({ memoryId }) => ids.has(memoryId));
  expect(stored).toHaveLength(ids.size);
  return stored;
}

interface StoredChunk {
  sequence: number;
  text: string;
  start: number;
  end: number;
  status: string;
}

/** A memory with everything that processing makes of it, once, whole and in order. */
export async function expectWhole(db: Db, memory: Sent): Promise<void> {
  const { memoryId, text } = memory;
  const [row] = await sql<{ status: string; chunks: number; length: number; sha256: string; text: string }>(
    db,
    `select processing_status as status, chunk_count as chunks, content_length as length,
       encode(content_sha256, 'hex') as sha256,
       (select string_agg(data, '' order by part) from text_part t where t.memory_id = m.memory_id) as text
     from memory m where memory_id = $1`,
    [memoryId],
  );
  expect(row).toMatchObject({ status: 'COMPLETED', length: Buffer.byteLength(text), text });
  expect(row?.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  const parts = await sql<{ data: Buffer }>(
    db,
    `select p.data from content_part p join memory m using (space_id, content_id) where m.memory_id = $1
     order by p.part`,
    [memoryId],
  );
  expect(Buffer.concat(parts.map(({ data }) => data)).equals(Buffer.from(text))).toBe(true);
  const chunks = await sql<StoredChunk>(
    db,
    `select sequence, text, start_offset as start, end_offset as "end", vector_status as status from chunk
     where memory_id = $1 order by sequence`,
    [memoryId],
  );
  expect(chunks.map(({ sequence }) => sequence)).toEqual(Array.from({ length: row?.chunks ?? -1 }, (_, n) => n));
  const points = [...text];
  for (const chunk of chunks) {
    expect(chunk.status).toBe('COMPLETED');
    expect(chunk.text).toBe(points.slice(chunk.start, chunk.end).join(''));
  }
  // The default separators lose nothing but white space, so that a chunk that is missing shows.
  expect(chunks.map((chunk) => chunk.text.replace(/\s/g, '')).join('')).toBe(text.replace(/\s/g, ''));
}

/** One job for each memory, one attempt of it good, none left open. */
export async function expectJobsDone(db: Db, count: number): Promise<void> {
  const jobs = await sql(
    db,
    `select j.job_id from job j where j.status <> 'SUCCEEDED' or j.lease_token is not null
       or (select count(*) from job_attempt a where a.job_id = j.job_id and a.ok) <> 1
       or exists (select from job_attempt a where a.job_id = j.job_id and a.finished_at is null)`,
  );
  expect(jobs).toEqual([]);
  const [counted] = await sql<{ jobs: number; memories: number }>(
    db,
    'select count(*) as jobs, count(distinct memory_id) as memories from job',
  );
  expect(counted).toEqual({ jobs: count, memories: count });
}

/** Every chunk has one vector from each embedder of its space, and the spaces count them right. */
export async function expectVectors(db: Db, { embedders, spaces }: Site): Promise<void> {
  const of = {
    [embedders.builtin]: [spaces.builtin, spaces.both],
    [embedders.openai]: [spaces.openai, spaces.both],
  };
  for (const [embedderId, spaceIds] of Object.entries(of)) {
    const table = `vector_${embedderId.replaceAll('-', '')}`;
    const unmatched = await sql(
      db,
      `select c.memory_id, v.memory_id from (select * from chunk where space_id = any ($1::uuid[])) c
       full join ${table} v using (space_id, memory_id, sequence) where c.chunk_id is null or v.embedding is null`,
      [spaceIds],
    );
    expect(unmatched).toEqual([]);
    const counts = await sql<{ stored: number; counted: number; summed: number }>(
      db,
      `select (select count(*) from ${table} v where v.space_id = e.space_id) as stored, e.vector_count as counted,
         (select sum(chunk_count) from memory m where m.space_id = e.space_id) as summed
       from space_embedder e where e.embedder_id = $1`,
      [embedderId],
    );
    expect(counts).toHaveLength(2);
    for (const { stored, counted, summed } of counts) expect([counted, summed]).toEqual([stored, stored]);
  }
  const rows = await sql<{ text: string; embedding: string }>(
    db,
    `select c.text, v.embedding::text from vector_${embedders.openai.replaceAll('-', '')} v
     join chunk c using (space_id, memory_id, sequence)`,
  );
  for (const { text, embedding } of rows) {
    const stored = JSON.parse(embedding) as number[];
    const wanted = standInVector(text, OPENAI_DIMENSIONS);
    const length = Math.hypot(...wanted);
    const cosine = wanted.reduce((sum, value, n) => sum + (value / length) * (stored[n] ?? 0), 0);
    expect(cosine).toBeGreaterThan(0.999);
  }
}

/** Content that neither a memory nor the list of unfinished uploads knows of would stay for ever. */
export async function expectNoOrphans(db: Db): Promise<void> {
  const orphans = await sql(
    db,
    `select distinct content_id from content_part p
     where not exists (select from memory m where m.content_id = p.content_id)
       and not exists (select from content_staging s where s.content_id = p.content_id)`,
  );
  expect(orphans).toEqual([]);
}

function sql<Row extends object>(db: Db, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return db.main.query<Row>({ name: 'test', text, prepare: false }, values);
}
