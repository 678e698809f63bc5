import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OpenAiStandIn } from '../test/support/stand-ins/openai.ts';
import { DIMENSIONS, RawTables } from './raw-tables.ts';
import { type Comparison, compare, percentile } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const ROUNDS = 5;
const MEMORIES = 3000;
const SINGLY = 1000;
const CLIENTS = 8;
const WRITES = 60;
const COUNTED = 1000;
/** PostgreSQL publishes what a session has counted once a second. */
const COUNTS_AGE_MS = 2000;

/** Memories of one chunk each: what many of them cost, and how soon a single one is found. */
export async function* benchSmallMemories(service: Service): AsyncGenerator<Comparison> {
  const next = random(3);
  const texts = Array.from({ length: MEMORIES }, () => text(next, 400));
  yield benchBatches(service, texts);
  yield benchClients(service, texts.slice(0, SINGLY));
  yield benchVisibility(service, next);
  yield countParts(service, texts.slice(0, COUNTED));
}

/** From the first request until everything can be retrieved, against embedding and storing the same in batches. */
async function benchBatches(service: Service, texts: readonly string[]): Promise<Comparison> {
  const name = `Ingest ${MEMORIES} memories of one chunk by batchCreate`;
  const raw = await RawTables.create(service.databaseUrl);
  const rounds = await inTurns(texts.length, {
    'embed and store in batches, raw': () => raw.store(texts),
    svc: async (round) => {
      const { spaceId } = await service.space(`${name} ${round}`, DIMENSIONS);
      await service.store(spaceId, texts, 250);
    },
  });
  await raw.close();
  return compare(name, 'ms a memory', rounds);
}

/** The same with one request or transaction for each text, from several clients at once. */
async function benchClients(service: Service, texts: readonly string[]): Promise<Comparison> {
  const name = `Ingest ${SINGLY} memories of one chunk one by one from ${CLIENTS} clients`;
  const raw: RawTables[] = [];
  for (let client = 0; client < CLIENTS; client += 1) raw.push(await RawTables.create(service.databaseUrl));
  const shares = Array.from({ length: CLIENTS }, (_, client) => texts.filter((_, at) => at % CLIENTS === client));
  const rounds = await inTurns(texts.length, {
    'embed and store one by one, raw': async () => {
      await Promise.all(shares.map((share, client) => raw[client]?.store(share, 1)));
    },
    svc: async (round) => {
      const { spaceId } = await service.space(`${name} ${round}`, DIMENSIONS);
      await Promise.all(shares.map((share) => service.storeSingly(spaceId, share)));
      await service.allCompleted(spaceId);
    },
  });
  for (const tables of raw) await tables.close();
  return compare(name, 'ms a memory', rounds);
}

/** How many milliseconds each contender takes for one text, round by round; the first round only warms up. */
async function inTurns(count: number, contenders: Readonly<Record<string, (round: number) => Promise<void>>>) {
  const rounds: Record<string, number[]> = {};
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [what, run] of Object.entries(contenders)) {
      const started = performance.now();
      await run(round);
      if (round >= 0) rounds[what] = [...(rounds[what] ?? []), (performance.now() - started) / count];
    }
  }
  return rounds;
}

/** From the answer of a single write until a retrieval shows it, while nothing else happens. */
async function benchVisibility(service: Service, next: () => number): Promise<Comparison> {
  const { spaceId } = await service.space('Visibility', DIMENSIONS);
  const rounds = { p50: [] as number[], p99: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const times: number[] = [];
    for (let write = 0; write < WRITES; write += 1) times.push(await untilVisible(service, spaceId, text(next, 400)));
    if (round < 0) continue;
    rounds.p50.push(percentile(times, 0.5));
    rounds.p99.push(percentile(times, 0.99));
  }
  return compare('A write that was answered is retrieved, idle', 'ms', rounds);
}

async function untilVisible(service: Service, spaceId: string, originalContent: string): Promise<number> {
  // Past the polls of the last write, so that the server is idle.
  await sleep(5);
  const { memoryId } = await service.remember(spaceId, originalContent);
  const started = performance.now();
  while (!(await service.retrieved(spaceId, originalContent)).includes(memoryId));
  return performance.now() - started;
}

/** What the server asks of its provider and its database. */
async function countParts(service: Service, texts: readonly string[]): Promise<Comparison> {
  const provider = await OpenAiStandIn.start({ dimensions: DIMENSIONS });
  const { spaceId } = await service.spaceOf('Counted', `${provider.url}/v1`, DIMENSIONS);
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const before = await commits(client);
  await service.store(spaceId, texts, 250);
  const after = await commits(client);
  await client.end();
  await provider.close();
  return compare(`What ${COUNTED} memories of one chunk by batchCreate take`, 'a memory', {
    memories: [1],
    'calls of the embedder': [provider.requests.length / texts.length],
    'transactions, with reads and polls': [(after - before) / texts.length],
  });
}

async function commits(client: pg.Client): Promise<number> {
  await sleep(COUNTS_AGE_MS);
  const text = 'select xact_commit::int as commits from pg_stat_database where datname = current_database()';
  const { rows } = await client.query<{ commits: number }>(text);
  return rows[0]?.commits ?? Number.NaN;
}
