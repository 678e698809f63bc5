import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import pg from 'pg';
import { Agent, request } from 'undici';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { halfvec } from '../src/server/store/binary.ts';
import { sharedPartition } from '../src/server/store/vector-tables.ts';
import { RetrieveMemoryRequestSchema } from '../src/shared/gen/service/v1/memory_pb.ts';
import { type Comparison, compare, percentile } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const CHUNKS = 2000;
const DIMENSIONS = 384;
const ROUNDS = 7;
const QUERIES = 150;

/**
 * One retrieval of ten chunks against the query that it is based on: the exact scan of the space's vectors, prepared,
 * with a binary parameter, on one connection.
 */
export async function benchRetrieve(service: Service): Promise<Comparison[]> {
  const next = random(1);
  const { spaceId, embedderId } = await service.space('retrieve', DIMENSIONS);
  const texts = Array.from({ length: CHUNKS }, () => text(next, 400));
  await service.store(spaceId, texts, 500);
  const questions = Array.from({ length: QUERIES }, () => text(next, 60));

  const vectors = new Map(questions.map((question) => [question, embedLexical([question], DIMENSIONS, 'query')]));
  const embedded = (question: string) => vectors.get(question) ?? new Float32Array();
  const raw = await rawQuery(service, spaceId, embedderId, embedded);
  const both = await rawQuery(service, spaceId, embedderId, (question) =>
    embedLexical([question], DIMENSIONS, 'query'),
  );
  const rest = restRetrieve(service, spaceId);
  const grpc = grpcRetrieve(service, spaceId);
  const contenders = {
    'pgvector query': raw.run,
    'embed, then query': both.run,
    'svc over REST': rest.run,
    'svc over gRPC': grpc.run,
  };
  const rounds: Record<string, number[]> = {};
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(contenders)) {
      const times = await timed(questions, run);
      // The first round only warms up.
      if (round >= 0) rounds[name] = [...(rounds[name] ?? []), percentile(times, 0.5)];
    }
  }
  await Promise.all([raw.close(), both.close(), rest.close(), grpc.close()]);
  return [compare(`Retrieve 10 of ${CHUNKS} chunks × ${DIMENSIONS}, one client`, 'p50 ms', rounds)];
}

interface Contender {
  run(question: string): Promise<void>;
  close(): Promise<void>;
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

async function rawQuery(
  service: Service,
  spaceId: string,
  embedderId: string,
  embed: (question: string) => Float32Array,
): Promise<Contender> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const text = `select memory_id, sequence, embedding <#> $1::halfvec as distance from ${sharedPartition(embedderId)}
    where space_id = $2 order by distance limit 10`;
  return {
    async run(question) {
      const vector = embed(question);
      const { rows } = await client.query({ name: 'raw', text, values: [halfvec(vector), spaceId] });
      if (rows.length !== 10) throw new Error(`the raw query found ${rows.length} rows`);
    },
    close: () => client.end(),
  };
}

function restRetrieve(service: Service, spaceId: string): Contender {
  const dispatcher = new Agent();
  const headers = { 'content-type': 'application/json', 'x-api-key': service.key };
  return {
    async run(message) {
      const body = JSON.stringify({ message, spaceKeys: [{ spaceId }], requestedSize: 10 });
      const url = `${service.server.rest}/v1/memories:retrieve`;
      const response = await request(url, { method: 'POST', headers, body, dispatcher });
      const lines = (await response.body.text()).split('\n').filter((line) => line.includes('"retrievedItem"'));
      if (lines.length !== 10) throw new Error(`REST found ${lines.length} items`);
    },
    close: () => dispatcher.close(),
  };
}

function grpcRetrieve(service: Service, spaceId: string): Contender {
  const client = new Client(service.server.grpc.replace('http://', ''), credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', service.key);
  return {
    run: (message) =>
      new Promise((resolve, reject) => {
        const body = create(RetrieveMemoryRequestSchema, { message, spaceKeys: [{ spaceId }], requestedSize: 10 });
        const serialize = (value: typeof body) => Buffer.from(toBinary(RetrieveMemoryRequestSchema, value));
        const call = client.makeServerStreamRequest(
          '/service.v1.MemoryService/RetrieveMemory',
          serialize,
          (bytes) => bytes,
          body,
          metadata,
        );
        call.on('data', () => {});
        call.on('error', reject);
        call.on('end', resolve);
      }),
    close: async () => client.close(),
  };
}
