import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OpenAiStandIn } from '../test/support/stand-ins/openai.ts';
import { elapsed, interleaved, latencies } from './measure.ts';
import { DIMENSIONS, RawTables } from './raw-tables.ts';
import { atMost, type Table, table } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const MEMORIES = 3000;
const SINGLY = 1000;
const CLIENTS = 8;
const WRITES = 60;
const COUNTED = 1000;
const UNIT = 'ms a memory';
/** PostgreSQL publishes what a session has counted once a second. */
const COUNTS_AGE_MS = 2000;

/** Memories of one chunk each: what many of them cost, and how soon a single one is found. */
export async function* benchSmallMemories(service: Service): AsyncGenerator<Table> {
  const next = random(3);
  const texts = Array.from({ length: MEMORIES }, () => text(next, 400));
  yield benchBatches(service, texts);
  yield benchClients(service, texts.slice(0, SINGLY));
  yield benchVisibility(service, next);
  yield countParts(service, texts.slice(0, COUNTED));
}

/** From the first request until everything can be retrieved, against embedding and storing the same in batches. */
async function benchBatches(service: Service, texts: readonly string[]): Promise<Table> {
  const raw = await RawTables.create(service.databaseUrl);
  const rounds = await interleaved({
    'embed and store in batches, raw': () => elapsed(texts.length, UNIT, () => raw.store(texts)),
    svc: async (round) => {
      const { spaceId } = await service.space(`Small memories ${round}`, DIMENSIONS);
      return elapsed(texts.length, UNIT, () => service.store(spaceId, texts, 250));
    },
  });
  await raw.close();
  return table(
    `${MEMORIES} memories of one chunk by batchCreate, from the first request until all can be retrieved`,
    rounds,
    {
      svc: [{ over: 'embed and store in batches, raw', by: UNIT, promise: atMost(3, 1.5) }],
    },
  );
}

/** The same with one request or transaction for each text, from several clients at once. */
async function benchClients(service: Service, texts: readonly string[]): Promise<Table> {
  const raw: RawTables[] = [];
  for (let client = 0; client < CLIENTS; client += 1) raw.push(await RawTables.create(service.databaseUrl));
  const shares = Array.from({ length: CLIENTS }, (_, client) => texts.filter((_, at) => at % CLIENTS === client));
  const rounds = await interleaved({
    'embed and store one by one, raw': () =>
      elapsed(texts.length, UNIT, () => Promise.all(shares.map((share, client) => raw[client]?.store(share, 1)))),
    svc: async (round) => {
      const { spaceId } = await service.space(`Single memories ${round}`, DIMENSIONS);
      return elapsed(texts.length, UNIT, async () => {
        await Promise.all(shares.map((share) => service.storeSingly(spaceId, share)));
        await service.allCompleted(spaceId);
      });
    },
  });
  for (const tables of raw) await tables.close();
  return table(
    `${SINGLY} memories of one chunk one by one from ${CLIENTS} clients, until all can be retrieved`,
    rounds,
    {
      svc: [{ over: 'embed and store one by one, raw', by: UNIT }],
    },
  );
}

/** From the answer of a single write until a retrieval shows it, while nothing else happens. */
async function benchVisibility(service: Service, next: () => number): Promise<Table> {
  const { spaceId } = await service.space('Visibility', DIMENSIONS);
  const rounds = await interleaved({
    svc: async () => {
      const times: number[] = [];
      for (let write = 0; write < WRITES; write += 1) times.push(await untilVisible(service, spaceId, text(next, 400)));
      return latencies(times);
    },
  });
  return table('From the answer of a write until a retrieval shows it, at idle', rounds, {
    svc: [{ promise: atMost(100, 20, 'p99 ms') }],
  });
}

async function untilVisible(service: Service, spaceId: string, originalContent: string): Promise<number> {
  // Past the polls of the last write, so that the server is idle.
  await sleep(5);
  const { memoryId } = await service.remember(spaceId, originalContent);
  const started = performance.now();
  for (let found = false; !found; ) {
    found = (await service.retrieved(spaceId, originalContent)).some((chunk) => chunk.memoryId === memoryId);
  }
  return performance.now() - started;
}

/** What the server asks of its provider and its database. */
async function countParts(service: Service, texts: readonly string[]): Promise<Table> {
  const provider = await OpenAiStandIn.start({ dimensions: DIMENSIONS });
  const { spaceId } = await service.openAiSpace('Counted', 'counted', provider.url, DIMENSIONS);
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const before = await commits(client);
  await service.store(spaceId, texts, 250);
  const after = await commits(client);
  await client.end();
  await provider.close();
  const counts = {
    'calls of the embedder': provider.requests.length,
    'transactions, with reads and polls': after - before,
  };
  const rounds = Object.fromEntries(
    Object.entries(counts).map(([what, count]) => [what, [{ 'a memory': count / texts.length }]]),
  );
  return table(`What ${COUNTED} memories of one chunk by batchCreate ask for`, rounds);
}

async function commits(client: pg.Client): Promise<number> {
  await sleep(COUNTS_AGE_MS);
  const text = 'select xact_commit::int as commits from pg_stat_database where datname = current_database()';
  const { rows } = await client.query<{ commits: number }>(text);
  return rows[0]?.commits ?? Number.NaN;
}
