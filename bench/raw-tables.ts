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
