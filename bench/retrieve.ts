import { Agent, request } from 'undici';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { type Comparison, compare, percentile } from './report.ts';
import { bareService, type Contender, grpcRetrieve, rawQuery, restRetrieve, type Target } from './retrievers.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

/** Chunks of the spaces, about. */
const SIZES = [1000, 4000, 20_000];
/** Beyond so many a space gets an index. */
const EXACT_SCAN_LIMIT = 5000;
const MEMORIES = 100;
const DIMENSIONS = 384;
const ROUNDS = 7;
const QUERIES = 150;

/**
 * One retrieval of ten chunks against the query that it is based on, prepared, with a binary parameter, on one connection,
 * and against the least service that can be written around that query.
 */
export async function benchRetrieve(service: Service): Promise<Comparison[]> {
  const next = random(1);
  const comparisons: Comparison[] = [];
  for (const size of SIZES) {
    const target = await filled(service, size, next);
    const questions = Array.from({ length: QUERIES }, () => text(next, 60));
    const vectors = new Map(questions.map((question) => [question, embedLexical([question], DIMENSIONS, 'query')]));
    const bare = await bareService(service, target);
    const contenders = {
      'pgvector query': await rawQuery(service, target, (question) => vectors.get(question) ?? new Float32Array()),
      'bare Fastify handler': bare,
      'svc over REST': restRetrieve(service, target),
      'svc over gRPC': grpcRetrieve(service, target),
    };
    const name = `Retrieve 10 of ${size} chunks × ${DIMENSIONS}, one client`;
    comparisons.push(compare(name, 'p50 ms', await rounds(contenders, questions)));
    if (size === SIZES[0]) comparisons.push(await readSpace(service, target.spaceId, bare.address));
    for (const { close } of Object.values(contenders)) await close();
  }
  return comparisons;
}

async function filled(service: Service, chunks: number, next: () => number): Promise<Target> {
  const { spaceId, embedderId } = await service.space(`retrieve ${chunks}`, DIMENSIONS);
  // The built-in config cuts after 512 characters.
  const texts = Array.from({ length: MEMORIES }, () => text(next, (450 * chunks) / MEMORIES));
  await service.store(spaceId, texts, MEMORIES);
  await service.scannedBy(spaceId, chunks > EXACT_SCAN_LIMIT ? 'hnsw 100' : 'exact \\d+');
  return { spaceId, embedderId, dimensions: DIMENSIONS, layout: await service.layout({ spaceId, embedderId }) };
}

/** A space by id, against one query behind a bare handler. */
async function readSpace(service: Service, spaceId: string, bare: string): Promise<Comparison> {
  const contenders = {
    'bare Fastify handler, one query': getter(`${bare}/spaces/${spaceId}`, {}),
    'svc over REST': getter(`${service.server.rest}/v1/spaces/${spaceId}`, { 'x-api-key': service.key }),
  };
  const calls = Array.from({ length: QUERIES * 2 }, () => '');
  const measured = await rounds(contenders, calls);
  for (const { close } of Object.values(contenders)) await close();
  return compare('GET of a space, one client', 'p50 ms', measured);
}

function getter(url: string, headers: Record<string, string>): Contender {
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

/** The p50 of each contender in each round; they take turns within a round. */
async function rounds(
  contenders: Readonly<Record<string, Contender>>,
  questions: readonly string[],
): Promise<Record<string, number[]>> {
  const measured: Record<string, number[]> = {};
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, { run }] of Object.entries(contenders)) {
      const times = await timed(questions, run);
      // The first round only warms up.
      if (round >= 0) measured[name] = [...(measured[name] ?? []), percentile(times, 0.5)];
    }
  }
  return measured;
}

async function timed(questions: readonly string[], run: (question: string) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const question of questions) {
    const started = performance.now();
    await run(question);
    times.push(performance.now() - started);
  }
  return times;
}
