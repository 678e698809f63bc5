import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProviderError } from '../../../src/server/providers/errors.ts';
import { EmbedderCircuits } from '../../../src/server/service/ingest/embedder-circuits.ts';
import { CircuitOpen } from '../../../src/server/service/ingest/failed-attempt.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { openAi } from '../embedder.fixture.ts';
import { sql } from '../identity.fixture.ts';
import { createMemoryWorld, type MemoryWorld, statusOf } from '../memory.fixture.ts';
import { JobServers } from './job-servers.fixture.ts';

let world: MemoryWorld;
let servers: JobServers;
let provider: OpenAiStandIn;
let embedderId: string;
let spaceId: string;

beforeAll(async () => {
  world = await createMemoryWorld({ workerParallelism: 1 });
  servers = new JobServers(world);
});
afterAll(() => world.end());
beforeEach(async () => {
  provider = await OpenAiStandIn.start({ dimensions: 8 });
  const request = openAi({ endpointUrl: `${provider.url}/v1`, dimensionality: 8 });
  ({ embedderId } = await world.call('createEmbedder', request, world.ada));
  spaceId = await world.space({ embedderId });
});
afterEach(async () => {
  await servers.stop();
  await provider.close();
});

const busy = (retryAfter: string, status = 429) => ({
  kind: 'status' as const,
  status,
  headers: { 'retry-after': retryAfter },
});
const look = (memoryId: string) => world.memory('getMemory', { memoryId, includeProcessingHistory: true });
/** Texts of this many memories of the space, or of another one. */
async function texts(count: number, space = spaceId): Promise<string[]> {
  const made = [];
  for (let at = 0; at < count; at += 1) made.push((await world.remember(space, `text ${at}`)).memoryId);
  return made;
}

test('what one job is told to wait counts for all jobs of the embedder, whatever their space', async () => {
  provider.always(busy('120'));
  const other = await world.space({ embedderId });
  const made = [...(await texts(5)), ...(await texts(3, other))];
  const { ended, results } = servers.start();
  await ended(8);
  expect(results).toEqual(Array(8).fill('retried'));
  expect(provider.requests).toHaveLength(1);
  const waits = await sql<{ seconds: number; away: boolean; attempts: number }>(
    world.db,
    `select extract(epoch from run_at - now())::float8 as seconds, away_since is not null as away, attempts
     from job where memory_id = any ($1::uuid[])`,
    [made],
  );
  for (const { seconds, away, attempts } of waits) {
    // What is left of the two minutes, of which the test itself takes a part.
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(120);
    expect({ away, attempts }).toEqual({ away: true, attempts: 0 });
  }
  const told = await Promise.all(made.map(look));
  const messages = told.map(({ processingHistory }) => processingHistory?.attempts[0]?.statusMessage);
  expect(messages.sort()).toEqual(
    [
      'The provider was unavailable; not counted as an attempt',
      ...Array(7).fill(
        'The provider was unavailable for another job moments before and was not called again; not counted as an attempt',
      ),
    ].sort(),
  );
  for (const memory of told) {
    expect(statusOf(memory)).toBe('PENDING');
    expect(memory.processingHistory?.latestJob?.lastError).toMatch(/answered 429/);
  }
  // A server that knows nothing of it asks, and what was learned of one embedder says nothing of another.
  provider.always(undefined);
  await servers.stop();
  const second = servers.start();
  await sql(world.db, 'update job set run_at = now()');
  servers.wake();
  expect(await second.ended(8)).toEqual(Array(8).fill('succeeded'));
});

test('they come back when the time is over, and are all done', async () => {
  provider.next(busy('3', 503));
  const made = await texts(4);
  const builtin = (await world.remember(await world.space(), 'of another embedder')).memoryId;
  const { ended } = servers.start();
  expect(statusOf(await world.processed(builtin))).toBe('COMPLETED');
  await ended(9);
  expect(provider.requests).toHaveLength(5);
  for (const memoryId of made) {
    const memory = await look(memoryId);
    expect(statusOf(memory)).toBe('COMPLETED');
    expect(memory.processingHistory?.latestJob?.attempts).toBe(1);
  }
});

test('a changed record is asked at once', async () => {
  provider.always(busy('120'));
  const [first = ''] = await texts(1);
  const { ended } = servers.start();
  await ended(1);
  provider.always(undefined);
  await world.call('updateEmbedder', { embedderId, displayName: 'Another name' }, world.ada);
  await servers.hurry(first);
  expect(await ended(2)).toEqual(['retried', 'succeeded']);
});

test('a job whose time is over before asks for itself', async () => {
  provider.always(busy('120'));
  const impatient = await world.space({ embedderId, giveUpAfterMinutes: 1 });
  await texts(1);
  const { ended } = servers.start();
  await ended(1);
  const [last = ''] = await texts(1, impatient);
  servers.wake();
  expect(await ended(2)).toEqual(['retried', 'failed']);
  expect(provider.requests).toHaveLength(2);
  expect((await look(last)).failureReason).toContain('The provider asks to wait for 2 minutes');
});

test('the wait grows with every failure that is met when it was over, up to a minute, and a success ends it', async () => {
  let now = 1_800_000_000_000;
  const circuits = new EmbedderCircuits(() => now);
  const embedder = { id: 'e', updatedAt: 1 };
  const job = { giveUpAfterMinutes: 60, unavailableSince: null };
  const fail = (retryAfterMs?: number) => {
    const error = new ProviderError('unavailable', 'refused', {
      away: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    return circuits.call(embedder, () => Promise.reject(error)).catch(() => undefined);
  };
  const wait = () => {
    try {
      circuits.check([embedder], job);
      return 0;
    } catch (error) {
      return error instanceof CircuitOpen ? error.until - now : undefined;
    }
  };
  const waits = [];
  for (let failures = 0; failures < 5; failures += 1) {
    // Calls that were under way together.
    await Promise.all([fail(), fail(), fail()]);
    waits.push(wait());
    now += wait() ?? 0;
    expect(wait()).toBe(0);
  }
  expect(waits).toEqual([800, 8000, 48_000, 60_000, 60_000]);
  await fail(90_000);
  expect(wait()).toBe(90_000);
  // One that began before the failure says nothing about what came later.
  const early = circuits.call(embedder, () => new Promise((resolve) => setTimeout(resolve, 1)));
  now += 1;
  await fail(100_000);
  await early;
  expect(wait()).toBe(100_000);
  now += 100_000;
  await circuits.call(embedder, () => Promise.resolve());
  expect(circuits.isEmpty).toBe(true);
  await fail();
  expect(wait()).toBe(800);
});
