import { expect, test } from 'vitest';
import { BackgroundJobStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { sql } from '../identity.fixture.ts';
import { statusOf } from '../memory.fixture.ts';
import { stored, useJobServers } from './job-servers.fixture.ts';

const servers = useJobServers({ workerParallelism: 1 });
const { start, look, hold, hurry } = servers;

/** Memories of the space that wait for a worker. */
async function waiting(count: number): Promise<string[]> {
  const made = [];
  for (let at = 0; at < count; at += 1) {
    made.push((await servers.world.remember(servers.spaceId, `text ${at}`)).memoryId);
  }
  return made;
}

const historyOf = async (memoryId: string) => {
  const { processingHistory } = await look(memoryId);
  const { latestJob, attempts = [] } = processingHistory ?? {};
  return {
    attempts: latestJob?.attempts,
    history: attempts.map(({ ok, statusMessage }) => [ok, statusMessage]),
  };
};

test('small memories share calls of the embedder and are complete', async () => {
  const made = await waiting(20);
  const { ended } = start();
  expect(await ended(20)).toEqual(made.map(() => 'succeeded'));
  expect(servers.provider.requests.length).toBeLessThanOrEqual(2);
  for (const memoryId of made) {
    expect(statusOf(await look(memoryId))).toBe('COMPLETED');
    expect(await historyOf(memoryId)).toEqual({ attempts: 1, history: [[true, undefined]] });
    expect(await stored(servers, memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 20, counted: 20 });
  }
});

test('a batch that takes long shows its memories as PROCESSING', async () => {
  const { release } = hold();
  const made = await waiting(3);
  const { ended } = start();
  await servers.provider.received(1);
  const statuses = async () => Promise.all(made.map(async (memoryId) => statusOf(await look(memoryId))));
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(made.map(() => 'PROCESSING'));
  release();
  await ended(3);
  expect(await statuses()).toEqual(made.map(() => 'COMPLETED'));
});

test('the leases of all jobs are renewed while the batch runs', async () => {
  servers.provider.next({ kind: 'slow', ms: 2500 });
  const settings = { ...servers.world.deps.settings, jobLeaseS: 1 };
  const made = await waiting(3);
  const first = start({ settings });
  await servers.provider.received(1);
  start({ settings });
  await first.ended(3);
  for (const memoryId of made) expect(await historyOf(memoryId)).toEqual({ attempts: 1, history: [[true, undefined]] });
});

test('a server that stops releases the whole batch, uncounted', async () => {
  servers.provider.next({ kind: 'hang' });
  const made = await waiting(3);
  const first = start();
  await servers.provider.received(1);
  await first.workers.stop();
  expect(first.results).toEqual(['released', 'released', 'released']);
  for (const memoryId of made) {
    const back = await look(memoryId);
    expect(statusOf(back)).toBe('PENDING');
    expect(back.processingHistory?.latestJob).toMatchObject({
      status: BackgroundJobStatus.BACKGROUND_JOB_PENDING,
      attempts: 0,
    });
  }
  expect(await start().ended(3)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

test('a batch whose worker was lost uses up no attempt, and its jobs then run one by one', async () => {
  const { release } = hold();
  const made = await waiting(3);
  const first = start();
  await servers.provider.received(1);
  for (const memoryId of made) await hurry(memoryId, `lease_until = now() - interval '1 second'`);
  const second = start();
  expect(await second.ended(3)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  release();
  expect(await first.ended(3)).toEqual(['lost', 'lost', 'lost']);
  expect(servers.provider.requests.map(({ body }) => (body.input as string[]).length)).toEqual([3, 1, 1, 1]);
  for (const memoryId of made) {
    const notBegun = 'The attempt had not begun; not counted as an attempt';
    expect(await historyOf(memoryId)).toEqual({
      attempts: 1,
      history: [
        [true, undefined],
        [false, notBegun],
      ],
    });
    expect(await stored(servers, memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 3, counted: 3 });
  }
});

test('what became of each job of a batch is stored although the end of one cannot be', async () => {
  servers.provider.always({ kind: 'status', status: 422, body: '{"error":{"message":"no such input"}}' });
  const made = await waiting(3);
  // The end of this one is refused by the database, whatever it is.
  const broken = `alter table job add constraint test_refused check (memory_id <> '${made[1]}' or status <> 'FAILED')`;
  await sql(servers.world.db, broken);
  try {
    const { ended } = start();
    expect(await ended(2)).toEqual(['failed', 'failed']);
    const statuses = await Promise.all(made.map(async (memoryId) => statusOf(await look(memoryId))));
    expect(statuses.filter((status) => status === 'FAILED')).toHaveLength(2);
  } finally {
    await servers.stop();
    await sql(servers.world.db, 'alter table job drop constraint test_refused');
  }
});

test('a batch that never ends keeps no other worker from what comes later', async () => {
  const { release } = hold();
  const settings = { ...servers.world.deps.settings, workerParallelism: 2 };
  const made = await waiting(3);
  const { ended } = start({ settings });
  await servers.provider.received(1);
  const later = await servers.remember('what comes later');
  expect(await ended(1)).toEqual(['succeeded']);
  expect(statusOf(await look(later.memoryId))).toBe('COMPLETED');
  release();
  expect(await ended(1 + made.length)).toEqual(['succeeded', ...made.map(() => 'succeeded')]);
});
