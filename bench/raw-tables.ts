import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { halfvecArray, int4Array, textArray, uuidArray } from '../src/server/store/binary.ts';

/** Of the vectors that the ingestions compare. */
export const DIMENSIONS = 384;
const BATCH = 250;

/** Two bare tables, as small as they can be, on a connection of their own. */
export class RawTables {
  readonly #client: pg.Client;
  readonly #oid: number;

  private constructor(client: pg.Client, oid: number) {
    this.#client = client;
    this.#oid = oid;
  }

  static async create(url: string): Promise<RawTables> {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`create table if not exists bench_chunk (id uuid, sequence int, text text);
      create table if not exists bench_vector (id uuid, embedding halfvec(${DIMENSIONS}))`);
    const { rows } = await client.query<{ oid: number }>(`select 'halfvec'::regtype::oid::int as oid`);
    return new RawTables(client, rows[0]?.oid ?? 0);
  }

  /** Embeds the texts on this thread and stores them, so many a transaction. */
  async store(texts: readonly string[], size = BATCH): Promise<void> {
    for (let start = 0; start < texts.length; start += size) {
      const batch = texts.slice(start, start + size);
      const values = embedLexical(batch, DIMENSIONS, 'document');
      const vectors = batch.map((_, row) => values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS));
      const ids = uuidArray(batch.map(() => randomUUID()));
      await this.#client.query('begin');
      const chunk = 'insert into bench_chunk select * from unnest($1::uuid[], $2::int4[], $3::text[])';
      await this.#client.query({
        name: 'chunk',
        text: chunk,
        values: [ids, int4Array(batch.map((_, row) => row)), textArray(batch)],
      });
      const vector = 'insert into bench_vector select * from unnest($1::uuid[], $2::halfvec[])';
      await this.#client.query({ name: 'vector', text: vector, values: [ids, halfvecArray(this.#oid, vectors)] });
      await this.#client.query('commit');
    }
  }

  async close(): Promise<void> {
    await this.#client.query('drop table if exists bench_chunk, bench_vector');
    await this.#client.end();
  }
}

/** A table with an HNSW index that is there while rows are stored. */
export class LiveIndex {
  readonly #client: pg.Client;
  readonly #oid: number;
  readonly #vectors: readonly Float32Array[];

  private constructor(client: pg.Client, oid: number, vectors: readonly Float32Array[]) {
    this.#client = client;
    this.#oid = oid;
    this.#vectors = vectors;
  }

  /** With an index over these vectors. */
  static async create(url: string, vectors: readonly Float32Array[]): Promise<LiveIndex> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ oid: number }>(`select 'halfvec'::regtype::oid::int as oid`);
    const live = new LiveIndex(client, rows[0]?.oid ?? 0, vectors);
    await client.query(`create table bench_live (id uuid, embedding halfvec(${DIMENSIONS}))`);
    await live.store(vectors.length);
    await client.query('create index on bench_live using hnsw (embedding halfvec_ip_ops)');
    return live;
  }

  /** Stores the first of the vectors once more, with binary parameters, in statements of a batch each. */
  async store(count: number): Promise<void> {
    for (let start = 0; start < count; start += BATCH) {
      const batch = this.#vectors.slice(start, Math.min(start + BATCH, count));
      const text = 'insert into bench_live select gen_random_uuid(), embedding from unnest($1::halfvec[]) embedding';
      await this.#client.query({ name: 'live', text, values: [halfvecArray(this.#oid, batch)] });
    }
  }

  async close(): Promise<void> {
    await this.#client.query('drop table bench_live');
    await this.#client.end();
  }
}
