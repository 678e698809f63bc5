import pg from 'pg';
import { Agent, request } from 'undici';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import type { Corpora, Corpus } from './corpus.ts';
import { interleaved, loaded, timed } from './measure.ts';
import { atLeast, atMost, type Table, table } from './report.ts';
import { bareService, type Contender, grpcRetrieve, rawQuery, restRetrieve, SIZE, type Target } from './retrievers.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

/** Chunks of the spaces, about. */
const SIZES = [1000, 4000, 20_000];
const LARGE = 100_000;
/** Chunks and dimensions of the spaces whose questions a stand-in embeds. */
const CORPORA: readonly (readonly [chunks: number, dimensions: number])[] = [
  [100_000, 384],
  [20_000, 1536],
];
/** Beyond so many a space gets an index. */
const EXACT_SCAN_LIMIT = 5000;
const MEMORIES = 100;
const DIMENSIONS = 384;
const QUERIES = 150;
const LOAD_MS = 2000;

const RAW = 'pgvector query';
const BARE = 'bare Fastify handler';
const REST = 'svc over REST';
const GRPC = 'svc over gRPC';

/**
 * One retrieval of ten chunks against the query that it is based on, prepared, with a binary parameter, on one connection,
 * and against the least service that can be written around that query. Both services embed the question themselves.
 */
export async function* benchRetrieve(service: Service): AsyncGenerator<Table> {
  yield* retrieveOf(service, SIZES);
}

/** The same in a large space. */
export async function* benchRetrieveLarge(service: Service): AsyncGenerator<Table> {
  yield* retrieveOf(service, [LARGE]);
}

async function* retrieveOf(service: Service, sizes: readonly number[]): AsyncGenerator<Table> {
  const next = random(1);
  for (const size of sizes) {
    const target = await filled(service, size, next);
    const questions = Array.from({ length: QUERIES }, () => text(next, 60));
    const vectors = new Map(questions.map((question) => [question, embedLexical([question], DIMENSIONS, 'query')]));
    const vector = (question: string) => vectors.get(question) ?? new Float32Array();
    const rounds = await oneClient(service, target, questions, vector);
    yield table(`Retrieve 10 of ${size.toLocaleString('en')} chunks × ${DIMENSIONS}, one client`, rounds, {
      [BARE]: [{ over: RAW, by: 'p50 ms' }],
      [REST]: [
        { over: BARE, by: 'p50 ms', promise: atMost(1.25, 1.05) },
        { over: RAW, by: 'p50 ms', promise: atMost(1.5, 1.2) },
      ],
      [GRPC]: [{ over: REST, by: 'p50 ms', promise: atMost(1.2, 1) }],
    });
  }
}

/** The same where both services call a stand-in of an embedder, on loopback, for each question. */
export async function* benchRetrieveEmbedding(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  for (const [chunks, dimensions] of CORPORA) {
    const corpus = await corpora.of(chunks, dimensions);
    const rounds = await oneClient(service, corpus, corpus.questions.slice(0, QUERIES), corpus.vector);
    const title = `Retrieve 10 of ${chunks.toLocaleString('en')} chunks × ${dimensions}, an embedder called, one client`;
    yield table(title, rounds, {
      [BARE]: [{ over: RAW, by: 'p50 ms' }],
      [REST]: [{ over: BARE, by: 'p50 ms', promise: atMost(1.2, 1.05) }],
      [GRPC]: [{ over: REST, by: 'p50 ms', promise: atMost(1.2, 1) }],
    });
  }
}

async function oneClient(
  service: Service,
  target: Target,
  questions: readonly string[],
  vector: (question: string) => Float32Array,
) {
  const contenders = {
    [RAW]: await rawQuery(service, target, vector),
    [BARE]: await bareService(service, target),
    [REST]: restRetrieve(service, target),
    [GRPC]: grpcRetrieve(service, target),
  };
  const call =
    ({ run }: Contender) =>
    () =>
      timed(questions, run);
  const rounds = await interleaved({
    [RAW]: call(contenders[RAW]),
    [BARE]: call(contenders[BARE]),
    [REST]: call(contenders[REST]),
    [GRPC]: call(contenders[GRPC]),
  });
  for (const { close } of Object.values(contenders)) await close();
  return rounds;
}

/** Many clients at once. */
export async function* benchLoad(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const corpus = await corpora.of(100_000, 384);
  const bare = await bareService(service, corpus);
  const rest = restRetrieve(service, corpus);
  const load =
    (clients: number, { run }: Contender) =>
    () =>
      loaded({ clients, ms: LOAD_MS }, corpus.questions, run);
  const rounds = await interleaved({
    'svc over REST, 8 clients': load(8, rest),
    'bare Fastify handler, 32 clients': load(32, bare),
    'svc over REST, 32 clients': load(32, rest),
    'svc over REST, 256 clients': load(256, rest),
  });
  await rest.close();
  await bare.close();
  yield table('Retrieve 10 of 100,000 chunks × 384, many clients', rounds, {
    'svc over REST, 32 clients': [{ over: 'bare Fastify handler, 32 clients', by: 'QPS', promise: atLeast(0.8, 1) }],
    'svc over REST, 256 clients': [{ over: 'svc over REST, 32 clients', by: 'QPS', promise: atLeast(0.9, 1) }],
  });
  yield recall(service, corpora, corpus);
}

async function recall(service: Service, corpora: Corpora, corpus: Corpus): Promise<Table> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const share = await corpora.recall(client, corpus, (question) => service.retrieved(corpus.spaceId, question, SIZE));
  await client.end();
  const rounds = { [REST]: [{ 'recall@10': share }] };
  return table('Recall in 100,000 chunks × 384, default request', rounds, {
    [REST]: [{ promise: atLeast(0.98, 0.99, 'recall@10') }],
  });
}

/** A space and a memory by id, each against one query behind a bare handler. */
export async function* benchRead(service: Service): AsyncGenerator<Table> {
  const { spaceId, embedderId } = await service.space('read', DIMENSIONS);
  const { memoryId } = await service.remember(spaceId, 'to be read');
  await service.allCompleted(spaceId);
  const layout = await service.layout({ spaceId, embedderId });
  const bare = await bareService(service, { spaceId, embedderId, dimensions: DIMENSIONS, layout });
  const own = { 'x-api-key': service.key };
  const records = {
    'a space': [
      reader(`${bare.address}/spaces/${spaceId}`),
      reader(`${service.server.rest}/v1/spaces/${spaceId}`, own),
    ],
    'a memory': [
      reader(`${bare.address}/memories/${memoryId}`),
      reader(`${service.server.rest}/v1/memories/${memoryId}`, own),
    ],
  } as const;
  const calls = Array.from({ length: QUERIES * 2 }, () => '');
  for (const [record, [bareReader, svcReader]] of Object.entries(records)) {
    const rounds = await interleaved({
      [BARE]: () => timed(calls, bareReader.run),
      [REST]: () => timed(calls, svcReader.run),
    });
    yield table(`GET of ${record}, one client`, rounds, {
      [REST]: [{ over: BARE, by: 'p50 ms', promise: atMost(1.3, 1.1) }],
    });
    for (const { close } of [bareReader, svcReader]) await close();
  }
  await bare.close();
}

function reader(url: string, headers: Record<string, string> = {}): Contender {
  const dispatcher = new Agent();
  return {
    async run() {
      const { statusCode, body } = await request(url, { headers, dispatcher });
      const { spaceId } = (await body.json()) as { spaceId?: string };
      if (statusCode !== 200 || spaceId === undefined) throw new Error(`GET ${url} answered ${statusCode}`);
    },
    close: () => dispatcher.close(),
  };
}

async function filled(service: Service, chunks: number, next: () => number): Promise<Target> {
  const { spaceId, embedderId } = await service.space(`retrieve ${chunks}`, DIMENSIONS);
  // The built-in config cuts after 512 characters.
  const texts = Array.from({ length: MEMORIES }, () => text(next, (450 * chunks) / MEMORIES));
  await service.store(spaceId, texts, MEMORIES);
  const key = { spaceId, embedderId };
  if (chunks > EXACT_SCAN_LIMIT) return { ...key, dimensions: DIMENSIONS, layout: await service.indexed(key) };
  await service.scannedBy(spaceId, 'exact \\d+');
  return { ...key, dimensions: DIMENSIONS, layout: await service.layout(key) };
}
