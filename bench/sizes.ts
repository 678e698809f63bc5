import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { halfvec } from '../src/server/store/binary.ts';
import { segmentIndex, segmentTable, sharedPartition } from '../src/server/store/vector-tables.ts';
import type { Corpora, Corpus } from './corpus.ts';
import { type Figures, interleaved, timed } from './measure.ts';
import { atLeast, atMost, type Table, table } from './report.ts';
import { type Contender, rawClient, rawQuery, restRetrieve, SIZE } from './retrievers.ts';
import type { ChunkKey, Service } from './service.ts';

const DIMENSIONS = 384;
const LARGE = 100_000;
const SMALL = 1000;
const SIZES = [10, 100, SMALL, 4500, 6000, 20_000, LARGE];
/** Up to so many chunks a space is scanned exactly. */
const EXACT_SCAN_LIMIT = 5000;
/** Spaces beside the small one, as small as it is. */
const OTHERS = 100;
const QUESTIONS = 100;
const POLL_MS = 100;
const DROPPED_WITHIN_MS = 120_000;

const call = ({ run }: Contender, questions: readonly string[]) => timed(questions.slice(0, QUESTIONS), run);

/** How much of the nearest a default request finds in spaces of every size, and what a small space among many takes. */
export async function* benchSizes(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const client = await rawClient(service);
  for (const [what, sizes, promise] of [
    ['exact', SIZES.filter((size) => size <= EXACT_SCAN_LIMIT), atLeast(1, 1, 'recall@10')],
    ['index', SIZES.filter((size) => size > EXACT_SCAN_LIMIT), atLeast(0.98, 0.99, 'recall@10')],
  ] as const) {
    const rounds: Record<string, Figures[]> = {};
    for (const size of sizes) rounds[`${size} chunks`] = [await qualityIn(service, corpora, client, size)];
    const promised = Object.fromEntries(Object.keys(rounds).map((name) => [name, [{ promise }]]));
    yield table(`Recall by size × ${DIMENSIONS}, default request, ${what}`, rounds, promised);
  }
  yield await amongOthers(service, corpora, client);
  await client.end();
}

async function qualityIn(service: Service, corpora: Corpora, client: pg.Client, size: number): Promise<Figures> {
  const corpus = await corpora.of(size, DIMENSIONS);
  let fewest = Number.POSITIVE_INFINITY;
  const recall = await corpora.recall(client, corpus, async (question) => {
    const found = await service.retrieved(corpus.spaceId, question, SIZE);
    fewest = Math.min(fewest, found.length);
    return found;
  });
  return { 'recall@10': recall, 'fewest rows': fewest };
}

/** The vectors of the others are copies of those of the large space, in turns, half of them before those of the small one. */
async function amongOthers(service: Service, corpora: Corpora, client: pg.Client): Promise<Table> {
  const large = await corpora.of(LARGE, DIMENSIONS);
  const small = await corpora.of(SMALL, DIMENSIONS);
  const shared = sharedPartition(large.embedderId);
  await client.query(`create table bench_other as
    select gen_random_uuid() as id, n from generate_series(0, ${OTHERS - 1}) n`);
  await client.query(`insert into ${shared} (space_id, memory_id, sequence, embedding)
    select o.id, v.memory_id, v.sequence, v.embedding from (
      select *, row_number() over (order by sequence, memory_id) as n from ${segmentOf(large)}
    ) v join bench_other o on o.n = v.n % ${OTHERS} order by v.n`);
  await client.query(`vacuum analyze ${shared}`);
  const raw = await rawQuery(service, small, small.vector);
  const rest = restRetrieve(service, small);
  const [RAW, REST] = ['exact scan of those rows, raw', 'svc over REST'] as const;
  const rounds = await interleaved({
    [RAW]: () => call(raw, small.questions),
    [REST]: () => call(rest, small.questions),
  });
  for (const { close } of [raw, rest]) await close();
  await client.query(`delete from ${shared} where space_id in (select id from bench_other)`);
  await client.query('drop table bench_other');
  await client.query(`vacuum analyze ${shared}`);
  return table(`A space of ${SMALL} chunks among ${LARGE} of ${OTHERS} others × ${DIMENSIONS}`, rounds, {
    [REST]: [{ over: RAW, by: 'p50 ms', promise: atMost(1.6, 1.2) }],
  });
}

function segmentOf(corpus: Corpus): string {
  const [segment] = corpus.layout.segments;
  if (segment === undefined) throw new Error(`the space ${corpus.spaceId} has no segment`);
  return segmentTable(corpus, segment.number);
}

/** What of a hundred or a thousand memories one passes. */
const FILTERS = {
  '1 %': { member: 'percent', parts: 100 },
  '0.1 %': { member: 'bucket', parts: 1000 },
} as const;

/** A filter on the metadata, against the same condition in SQL: on an exact scan, and during a walk of the index. */
export async function* benchFilters(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const corpus = await corpora.of(LARGE, DIMENSIONS);
  const client = await rawClient(service);
  const members = Object.values(FILTERS).map(({ member, parts }) => `'${member}', 'v' || n % ${parts}`);
  await client.query(
    `update memory m set metadata = jsonb_build_object(${members.join(', ')})
     from (select memory_id, row_number() over (order by memory_id) as n from memory where space_id = $1) numbered
     where m.space_id = $1 and m.memory_id = numbered.memory_id`,
    [corpus.spaceId],
  );
  await client.query('vacuum analyze memory');
  for (const [share, { member }] of Object.entries(FILTERS)) {
    const condition = `m.processing_status = 'COMPLETED' and m.metadata ->> '${member}' = 'v7'`;
    const segment = segmentOf(corpus);
    const exact = `select v.memory_id as "memoryId", v.sequence as "chunkSequenceNumber" from ${segment} v
      join memory m on m.space_id = $2 and m.memory_id = v.memory_id and ${condition}
      where v.space_id = $2 order by (v.embedding <#> $1::halfvec) + 0 limit ${SIZE}`;
    const walk = `select v.memory_id as "memoryId", v.sequence as "chunkSequenceNumber" from ${segment} v
      where (select ${condition} from memory m where m.space_id = $2 and m.memory_id = v.memory_id)
      order by v.embedding <#> $1::halfvec limit ${SIZE}`;
    yield await filtered(service, { corpus, client, share, exact, walk, filter: `val('$.${member}') = 'v7'` });
  }
  await client.end();
}

interface Filtered {
  corpus: Corpus;
  client: pg.Client;
  share: string;
  exact: string;
  walk: string;
  filter: string;
}

async function filtered(service: Service, { corpus, client, share, exact, walk, filter }: Filtered): Promise<Table> {
  const questions = corpus.questions.slice(0, QUESTIONS);
  const asked = (text: string) => async (question: string) => {
    const values = [halfvec(corpus.vector(question)), corpus.spaceId];
    return (await client.query<ChunkKey>({ name: `${share} ${text.length}`, text, values })).rows;
  };
  const rest = restRetrieve(service, { ...corpus, filter });
  const keyOf = ({ memoryId, chunkSequenceNumber }: ChunkKey) => `${memoryId}/${chunkSequenceNumber}`;
  const recallOf = async (search: (question: string) => Promise<readonly ChunkKey[]>) => {
    let found = 0;
    let wanted = 0;
    for (const question of questions) {
      const nearest = new Set((await asked(exact)(question)).map(keyOf));
      wanted += nearest.size;
      found += (await search(question)).filter((chunk) => nearest.has(keyOf(chunk))).length;
    }
    return { 'recall@10': found / wanted };
  };
  const recalls = {
    walk: await recallOf(asked(walk)),
    svc: await recallOf((question) => service.retrieved(corpus.spaceId, question, SIZE, filter)),
  };
  const rounds = await interleaved({
    exact: () => timed(questions, asked(exact)),
    walk: () => timed(questions, asked(walk)),
    svc: () => timed(questions, rest.run),
  });
  await rest.close();
  const with_ = (figures: Figures) => (round: Figures) => ({ ...round, ...figures });
  const better = rounds.exact.map((round, index) => {
    const other = rounds.walk[index] ?? round;
    return (round['p50 ms'] ?? 0) <= (other['p50 ms'] ?? 0) ? round : other;
  });
  const [EXACT, WALK, BETTER, SVC] = [
    'exact scan, raw',
    'walk of the index, raw',
    'the faster of both',
    'svc over REST',
  ] as const;
  return table(
    `Retrieve 10 of the ${share} of ${LARGE} chunks × ${DIMENSIONS} that pass a filter`,
    {
      [EXACT]: rounds.exact.map(with_({ 'recall@10': 1 })),
      [WALK]: rounds.walk.map(with_(recalls.walk)),
      [BETTER]: better,
      [SVC]: rounds.svc.map(with_(recalls.svc)),
    },
    {
      [SVC]: [{ promise: atLeast(0.98, 0.99, 'recall@10') }, { over: BETTER, by: 'p50 ms', promise: atMost(1.5, 1.2) }],
    },
  );
}

/** A space with an index of signs against the same without, and what their indexes take. */
export async function* benchQuantization(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const [chunks, dimensions] = [20_000, 1536];
  const client = await rawClient(service);
  const plain = await corpora.of(chunks, dimensions);
  const quantized = await corpora.of(chunks, dimensions, { vectorQuantization: 'BINARY' });
  const contender = async (corpus: Corpus) => {
    const { run, close } = restRetrieve(service, corpus);
    const [{ number } = { number: 0 }] = corpus.layout.segments;
    const { rows } = await client.query<{ size: number }>(
      'select pg_relation_size($1::text::regclass)::float8 as size',
      [segmentIndex(corpus, number)],
    );
    const recall = await corpora.recall(client, corpus, (question) =>
      service.retrieved(corpus.spaceId, question, SIZE),
    );
    const fixed = { 'recall@10': recall, 'index MB': (rows[0]?.size ?? 0) / 1e6 };
    return { close, round: async () => ({ ...(await timed(corpus.questions, run)), ...fixed }) };
  };
  const [one, other] = [await contender(plain), await contender(quantized)];
  const [PLAIN, QUANTIZED] = ['index of the vectors', 'index of their signs'] as const;
  const rounds = await interleaved({ [PLAIN]: one.round, [QUANTIZED]: other.round });
  for (const { close } of [one, other]) await close();
  await client.end();
  yield table(`Retrieve 10 of ${chunks} chunks × ${dimensions} over REST`, rounds, {
    [QUANTIZED]: [
      { promise: atLeast(0.98, 0.99, 'recall@10') },
      { over: PLAIN, by: 'p50 ms' },
      { over: PLAIN, by: 'index MB' },
    ],
  });
}

/** A space is deleted while another one is searched. */
export async function* benchDeletion(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const other = await corpora.of(SMALL, DIMENSIONS);
  const { spaceId, ...corpus } = await corpora.take(LARGE, DIMENSIONS);
  const client = await rawClient(service);
  const rest = restRetrieve(service, other);
  const searching = async (until: Promise<unknown>) => {
    const times: number[] = [];
    let isOver = false;
    const over = until.finally(() => {
      isOver = true;
    });
    for (let n = 0; !isOver; n += 1) {
      const started = performance.now();
      await rest.run(other.questions[n % other.questions.length] ?? '');
      times.push(performance.now() - started);
    }
    await over;
    return Math.max(...times);
  };
  const before = await searching(sleep(3000));
  let [answered, gone] = [0, 0];
  const deletion = async () => {
    const started = performance.now();
    const headers = { 'x-api-key': service.key };
    const { status } = await fetch(`${service.server.rest}/v1/spaces/${spaceId}`, { method: 'DELETE', headers });
    answered = (performance.now() - started) / 1000;
    if (status !== 204) throw new Error(`the deletion of a space answered ${status}`);
    const names = corpus.layout.segments.flatMap(({ number }) => {
      const key = { ...corpus, spaceId };
      return [segmentTable(key, number), segmentIndex(key, number)];
    });
    const left = 'select 1 from unnest($1::text[]) name where to_regclass(name) is not null';
    while ((await client.query(left, [names])).rowCount !== 0) {
      if (performance.now() - started > DROPPED_WITHIN_MS) throw new Error(`tables are left: ${names.join(', ')}`);
      await sleep(POLL_MS);
    }
    gone = (performance.now() - started) / 1000;
  };
  const during = await searching(deletion());
  await rest.close();
  await client.end();
  const deleted = { 'answered s': answered, 'tables and indexes gone s': gone, 'slowest search of another ms': during };
  yield table(
    `Deletion of a space of ${LARGE} chunks × ${DIMENSIONS}`,
    { 'before it': [{ 'slowest search of another ms': before }], svc: [deleted] },
    { svc: [{ promise: atMost(1, 0.5, 'answered s') }] },
  );
}

/** How the time of a retrieval grows with the space. */
export async function* benchGrowth(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const of = async (chunks: number) => {
    const corpus = await corpora.of(chunks, DIMENSIONS);
    const rest = restRetrieve(service, corpus);
    return { round: () => call(rest, corpus.questions), close: rest.close };
  };
  const [small, middle, large] = [await of(10_000), await of(LARGE), await of(1_000_000)];
  const rounds = await interleaved({
    '10,000 chunks': small.round,
    '100,000 chunks': middle.round,
    '1,000,000 chunks': large.round,
  });
  for (const { close } of [small, middle, large]) await close();
  const promise = atMost(2, 1.5);
  yield table(`Retrieve 10 over REST, by size × ${DIMENSIONS}`, rounds, {
    '100,000 chunks': [{ over: '10,000 chunks', by: 'p50 ms', promise }],
    '1,000,000 chunks': [{ over: '100,000 chunks', by: 'p50 ms', promise }],
  });
}
