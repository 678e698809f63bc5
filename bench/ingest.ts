import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { halfvecArray, int4Array, textArray, uuidArray } from '../src/server/store/binary.ts';
import { type Comparison, compare } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const DIMENSIONS = 384;
const ROUNDS = 3;
const MEMORIES = 1000;
const LONG_DOCUMENTS = 10;
const CHUNKS_PER_DOCUMENT = 200;

/**
 * From the first request until everything can be retrieved, against the parts that every ingestion needs: embedding the
 * same texts on one thread, and storing texts and vectors in batches with binary parameters on one connection.
 */
export async function benchIngest(service: Service): Promise<Comparison[]> {
  const next = random(2);
  const short = Array.from({ length: MEMORIES }, () => text(next, 400));
  const chunks = Array.from({ length: LONG_DOCUMENTS * CHUNKS_PER_DOCUMENT }, () => text(next, 400));
  const long = Array.from({ length: LONG_DOCUMENTS }, (_, index) =>
    chunks.slice(index * CHUNKS_PER_DOCUMENT, (index + 1) * CHUNKS_PER_DOCUMENT).join('\n\n'),
  );
  return [
    await compareIngest(service, `Ingest ${MEMORIES} memories of one chunk`, { documents: short, chunks: short }),
    await compareIngest(service, `Ingest ${LONG_DOCUMENTS} documents of about ${CHUNKS_PER_DOCUMENT} chunks`, {
      documents: long,
      chunks,
    }),
  ];
}

async function compareIngest(
  service: Service,
  name: string,
  { documents, chunks }: { documents: readonly string[]; chunks: readonly string[] },
): Promise<Comparison> {
  const raw = await RawTables.create(service.databaseUrl);
  const rounds = { 'embed and store, raw': [] as number[], svc: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const rawMs = await elapsed(() => raw.store(chunks));
    const { spaceId } = await service.space(`${name} ${round}`, DIMENSIONS);
    const svcMs = await elapsed(() => service.store(spaceId, documents, 250));
    if (round < 0) continue;
    rounds['embed and store, raw'].push(rawMs / chunks.length);
    rounds.svc.push(svcMs / chunks.length);
  }
  await raw.close();
  return compare(name, 'ms a chunk', rounds);
}

async function elapsed(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** Two bare tables, as small as they can be. */
class RawTables {
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

  async store(texts: readonly string[]): Promise<void> {
    for (let start = 0; start < texts.length; start += 250) {
      const batch = texts.slice(start, start + 250);
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
    await this.#client.query('drop table bench_chunk, bench_vector');
    await this.#client.end();
  }
}
