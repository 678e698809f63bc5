import { expect, test } from 'vitest';
import { sql } from '../identity.fixture.ts';
import { statusOf } from '../memory.fixture.ts';
import { useJobServers } from './job-servers.fixture.ts';

const servers = useJobServers({ workerParallelism: 1 });
const { start, wake, hurry, stop, look } = servers;

const busy = (retryAfter: string, status = 429) => ({
  kind: 'status' as const,
  status,
  headers: { 'retry-after': retryAfter },
});
/** Texts of this many memories of the space, or of another one. */
async function texts(count: number, space = servers.spaceId): Promise<string[]> {
  const made = [];
  for (let at = 0; at < count; at += 1) made.push((await servers.world.remember(space, `text ${at}`)).memoryId);
  return made;
}

test('an open circuit of an embedder holds all its jobs, in every space', async () => {
  servers.provider.always(busy('120'));
  const other = await servers.world.space({ embedderId: servers.embedderId });
  const made = [...(await texts(5)), ...(await texts(3, other))];
  const { ended, results } = start();
  await ended(8);
  expect(results).toEqual(Array(8).fill('retried'));
  expect(servers.provider.requests).toHaveLength(1);
  const waits = await sql<{ seconds: number; away: boolean; attempts: number }>(
    servers.world.db,
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
  servers.provider.always(undefined);
  await stop();
  const second = start();
  await sql(servers.world.db, 'update job set run_at = now()');
  wake();
  expect(await second.ended(8)).toEqual(Array(8).fill('succeeded'));
});

test('held jobs resume when the circuit closes, and all complete', async () => {
  servers.provider.next(busy('3', 503));
  const made = await texts(4);
  const builtin = (await servers.world.remember(await servers.world.space(), 'of another embedder')).memoryId;
  const { ended } = start();
  expect(statusOf(await servers.world.processed(builtin))).toBe('COMPLETED');
  await ended(9);
  // The one that failed, then each text once, whatever call it is in.
  const [, ...served] = servers.provider.requests.map(({ body }) => body.input as string[]);
  expect(served.flat().sort()).toEqual(['text 0', 'text 1', 'text 2', 'text 3']);
  for (const memoryId of made) {
    const memory = await look(memoryId);
    expect(statusOf(memory)).toBe('COMPLETED');
    expect(memory.processingHistory?.latestJob?.attempts).toBe(1);
  }
});

test('a changed embedder is called at once', async () => {
  servers.provider.always(busy('120'));
  const [first = ''] = await texts(1);
  const { ended } = start();
  await ended(1);
  servers.provider.always(undefined);
  await servers.world.call(
    'updateEmbedder',
    { embedderId: servers.embedderId, displayName: 'Another name' },
    servers.world.ada,
  );
  await hurry(first);
  expect(await ended(2)).toEqual(['retried', 'succeeded']);
});

test('a job whose deadline passes earlier makes a last attempt of its own', async () => {
  servers.provider.always(busy('120'));
  const impatient = await servers.world.space({ embedderId: servers.embedderId, giveUpAfterMinutes: 1 });
  await texts(1);
  const { ended } = start();
  await ended(1);
  const [last = ''] = await texts(1, impatient);
  wake();
  expect(await ended(2)).toEqual(['retried', 'failed']);
  expect(servers.provider.requests).toHaveLength(2);
  expect((await look(last)).failureReason).toContain('The provider asks to wait for 2 minutes');
});
