import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { halfvec } from '../src/server/store/binary.ts';
import { type VectorPart, vectorParts } from '../src/server/store/vector-layout.ts';
import { segmentTable, sharedPartition } from '../src/server/store/vector-tables.ts';
import { clustered } from './clustered.ts';
import { type Figures, median } from './measure.ts';
import { atLeast, atMost, type Table, table } from './report.ts';
import { rawClient, restRetrieve, SIZE, type Target } from './retrievers.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const DIMENSIONS = 384;
/** Much enough at once for an index of its own: above an eighth of the space, and above what is scanned exactly. */
const GROWTH = 0.2;
const CHUNKS_A_MEMORY = 100;
const CHARACTERS_A_CHUNK = 450;
const QUESTIONS = 20;
/** Between two series of searches, so that they do not take the core from the builds. */
const PAUSE_MS = 1000;

const PARTS = 'a walk of each index and a scan of what is in none, raw, one after the other';
const REST = 'svc over REST';

/** A space that grows by a fifth at once, while it is searched, until one index has all of it. */
export async function* benchBurst(service: Service): AsyncGenerator<Table> {
  yield* burst(service, 30_000);
}

export async function* benchLargeBurst(service: Service): AsyncGenerator<Table> {
  yield* burst(service, 100_000);
}

async function* burst(service: Service, chunks: number): AsyncGenerator<Table> {
  const next = random(chunks);
  const key = await service.clusteredSpace(`Burst of ${chunks}`, DIMENSIONS);
  const grow = async (count: number) => {
    const texts = Array.from({ length: Math.ceil(count / CHUNKS_A_MEMORY) }, () =>
      text(next, CHUNKS_A_MEMORY * CHARACTERS_A_CHUNK),
    );
    await service.store(key.spaceId, texts, 20);
  };
  await grow(chunks);
  await service.indexed(key);
  const before = await service.chunksOf(key);
  const questions = Array.from({ length: QUESTIONS }, () => text(next, 60));
  const raw = await rawClient(service);
  const searches = new Searches(service, raw, { ...key, dimensions: DIMENSIONS, layout: await service.layout(key) });
  await grow(before * GROWTH);
  const started = performance.now();
  const nearest = await searches.nearest(questions);
  const series: { raw: Figures; svc: Figures }[] = [];
  while (!(await searches.isMerged())) {
    const measured = await searches.measure(questions, nearest);
    if (measured !== undefined) series.push(measured);
    await sleep(PAUSE_MS);
  }
  const merged = performance.now() - started;
  await searches.close();
  const built = await buildAlone(raw, key, await service.layout(key));
  await raw.end();
  const grown = `${before} chunks × ${DIMENSIONS} grow by ${(await service.chunksOf(key)) - before} at once`;
  const rounds = { [PARTS]: series.map((one) => one.raw), [REST]: series.map((one) => one.svc) };
  yield table(`${grown}, until one index has all: ${series.length} series of ${QUESTIONS} searches`, rounds, {
    [REST]: [{ promise: atLeast(0.98, 0.99, 'recall@10') }, { over: PARTS, by: 'p50 ms', promise: atMost(1.5, 1.2) }],
  });
  yield table(
    `${grown}, from the last write until one index has all`,
    { 'CREATE INDEX over all, alone': [{ seconds: built / 1000 }], svc: [{ seconds: merged / 1000 }] },
    { svc: [{ over: 'CREATE INDEX over all, alone', by: 'seconds', promise: atMost(2, 1.3) }] },
  );
}

class Searches {
  readonly #service: Service;
  readonly #raw: pg.Client;
  readonly #rest: ReturnType<typeof restRetrieve>;
  readonly #target: Target;

  constructor(service: Service, raw: pg.Client, target: Target) {
    this.#service = service;
    this.#raw = raw;
    this.#rest = restRetrieve(service, target);
    this.#target = target;
  }

  close(): Promise<void> {
    return this.#rest.close();
  }

  async isMerged(): Promise<boolean> {
    const { spaceId, embedderId } = this.#target;
    const { segments } = await this.#service.layout(this.#target);
    if (segments.length !== 1 || segments[0]?.state !== 'INDEXED') return false;
    const outside = `select from ${sharedPartition(embedderId)} where space_id = $1 limit 1`;
    return (await this.#raw.query(outside, [spaceId])).rowCount === 0;
  }

  /** The chunks that an exact scan of everything finds, question by question. */
  async nearest(questions: readonly string[]): Promise<ReadonlySet<string>[]> {
    const found: ReadonlySet<string>[] = [];
    for (const question of questions) {
      const hits = await this.#unmoved((parts) => this.#scan(parts, question));
      found.push(new Set(hits));
    }
    return found;
  }

  /** Undefined when vectors have changed their tables meanwhile. */
  async measure(questions: readonly string[], nearest: readonly ReadonlySet<string>[]) {
    const layout = await this.#service.layout(this.#target);
    const times: { raw: number[]; svc: number[] } = { raw: [], svc: [] };
    let recalled = 0;
    for (const [index, question] of questions.entries()) {
      let started = performance.now();
      for (const part of vectorParts({ ...this.#target, layout }, '$2')) {
        const values = [halfvec(clustered(question, DIMENSIONS)), this.#target.spaceId];
        await this.#raw.query({ ...nearestIn(part), values });
      }
      times.raw.push(performance.now() - started);
      started = performance.now();
      await this.#rest.run(question);
      times.svc.push(performance.now() - started);
      const found = await this.#service.retrieved(this.#target.spaceId, question, SIZE);
      recalled += found.filter((hit) => nearest[index]?.has(`${hit.memoryId}/${hit.chunkSequenceNumber}`)).length;
    }
    if ((await this.#service.layout(this.#target)).version !== layout.version) return undefined;
    const recall = recalled / (questions.length * SIZE);
    return { raw: { 'p50 ms': median(times.raw) }, svc: { 'p50 ms': median(times.svc), 'recall@10': recall } };
  }

  async #scan(parts: readonly VectorPart[], question: string): Promise<string[]> {
    const scans = parts.map(
      ({ table: name, rows }) =>
        `select memory_id, sequence, v.embedding <#> $1::halfvec as distance from ${name} v where ${rows}`,
    );
    const sql = `select memory_id || '/' || sequence as hit from (${scans.join(' union all ')}) found
      order by distance + 0 limit ${SIZE}`;
    const values = [halfvec(clustered(question, DIMENSIONS)), this.#target.spaceId];
    return (await this.#raw.query<{ hit: string }>(sql, values)).rows.map(({ hit }) => hit);
  }

  /** Repeats a look at all tables until none of them has changed meanwhile. */
  async #unmoved<T>(look: (parts: readonly VectorPart[]) => Promise<T>): Promise<T> {
    for (;;) {
      const layout = await this.#service.layout(this.#target);
      const seen = await look(vectorParts({ ...this.#target, layout }, '$2')).catch(() => undefined);
      const { version } = await this.#service.layout(this.#target);
      if (seen !== undefined && version === layout.version) return seen;
    }
  }
}

/** Prepared, by a name of which PostgreSQL keeps 63 bytes. */
function nearestIn({ table: from, rows, isIndexed }: VectorPart): { name: string; text: string } {
  const distance = 'v.embedding <#> $1::halfvec';
  const order = isIndexed
    ? `where $2::uuid is not null order by ${distance}`
    : `where ${rows} order by (${distance}) + 0`;
  const text = `select memory_id, sequence, ${distance} as distance from ${from} v ${order} limit ${SIZE}`;
  return { name: `${isIndexed ? 'walk' : 'scan'} ${from.slice(-50)}`, text };
}

/** How long the same index takes over the same rows while nothing else happens, in milliseconds. */
async function buildAlone(
  client: pg.Client,
  key: { spaceId: string; embedderId: string },
  { segments }: { segments: readonly { number: number }[] },
): Promise<number> {
  const [segment] = segments;
  await client.query(`create table bench_alone (embedding halfvec(${DIMENSIONS}) storage plain);
    insert into bench_alone select embedding from ${segmentTable(key, segment?.number ?? 0)}`);
  const started = performance.now();
  await client.query(
    'create index on bench_alone using hnsw (embedding halfvec_ip_ops) with (m = 16, ef_construction = 64)',
  );
  const took = performance.now() - started;
  await client.query('drop table bench_alone');
  return took;
}
