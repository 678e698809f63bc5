import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimJob } from '../../../src/server/store/jobs.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { openAi } from '../embedder.fixture.ts';
import { signal, sql } from '../identity.fixture.ts';
import { statusOf, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
/** Three spaces of three owners, in the order of the ids of their owners. */
let spaces: { ownerId: string; spaceId: string }[];
const WHO = ['ada', 'bob', 'admin'] as const;

beforeAll(async () => {
  spaces = await Promise.all(
    WHO.map(async (who) => {
      const words = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
      const { embedderId } = await world.call('createEmbedder', { ...words, dimensionality: 64 }, world[who]);
      const { spaceId } = await world.call('createSpace', { name: `of ${who}`, embedderId }, world[who]);
      return { ownerId: world[who].userId, spaceId };
    }),
  );
  spaces.sort((a, b) => (a.ownerId < b.ownerId ? -1 : 1));
});
beforeEach(() => sql(world.db, 'delete from job'));

/** Jobs of the owner at this place that are due after so many seconds. */
async function jobs(place: number, count: number, dueIn = 0): Promise<void> {
  const { ownerId, spaceId } = spaces[place] ?? { ownerId: '', spaceId: '' };
  await sql(
    world.db,
    `insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at, updated_at)
     select 'document_processor', $1, $2, gen_random_uuid(), 'PENDING', 5,
       now() + ($3 * interval '1 second') - n * interval '1 second', now(), now()
     from generate_series(1, $4::int) n`,
    [ownerId, spaceId, dueIn, count],
  );
}

/** The place of the owner whose job is claimed, -1 for none, and the owner for the next claim. */
async function claim(after?: string): Promise<{ place: number; jobId: number; after: string | undefined }> {
  const job = await claimJob(world.db.background, { workerId: 'w', leaseToken: randomUUID(), leaseMs: 60_000, after });
  const place = spaces.findIndex(({ ownerId }) => ownerId === job?.ownerId);
  return { place, jobId: job?.jobId ?? -1, after: job?.ownerId ?? after };
}

/** The places that come, in their order, until nothing is left. */
async function order(): Promise<number[]> {
  const places: number[] = [];
  let next = await claim();
  for (; next.place >= 0; next = await claim(next.after)) places.push(next.place);
  return places;
}

describe('fair scheduling of jobs', () => {
  test('alternates between the owners of the spaces', async () => {
    await jobs(0, 4);
    await jobs(1, 1);
    await jobs(2, 2);
    expect(await order()).toEqual([0, 1, 2, 0, 2, 0, 0]);
  });

  test('skips owners whose jobs are delayed', async () => {
    await jobs(0, 2, 3600);
    await jobs(2, 2);
    expect(await order()).toEqual([2, 2]);
    await jobs(1, 1, 3600);
    expect((await claim(spaces[2]?.ownerId)).place).toBe(-1);
  });

  test('runs all jobs of a single owner, the longest due first', async () => {
    await jobs(1, 3);
    const taken: number[] = [];
    for (let next = await claim(); next.jobId >= 0; next = await claim(next.after)) taken.push(next.jobId);
    expect(taken).toEqual([...taken].sort((a, b) => b - a));
    expect(taken).toHaveLength(3);
  });

  test('takes over jobs of lost workers first', async () => {
    await jobs(0, 1);
    await jobs(2, 1);
    await sql(
      world.db,
      `update job set status = 'RUNNING', lease_until = now() - interval '1 second', lease_token = gen_random_uuid()
       where owner_id = $1`,
      [spaces[2]?.ownerId],
    );
    expect(await order()).toEqual([2, 0]);
  });

  test('gives concurrent claims different jobs', async () => {
    for (const place of [0, 1, 2]) await jobs(place, 10);
    const claims = await Promise.all(Array.from({ length: 30 }, () => claim()));
    expect(new Set(claims.map(({ jobId }) => jobId)).size).toBe(30);
    expect((await claim()).jobId).toBe(-1);
  });
});

test('a short text waits for one job of another owner at most', async () => {
  const provider = await OpenAiStandIn.start({ dimensions: 8 });
  const workers = world.workers({ settings: { ...world.deps.settings, workerParallelism: 1 } });
  try {
    const request = openAi({ endpointUrl: `${provider.url}/v1`, dimensionality: 8 });
    const { embedderId } = await world.call('createEmbedder', request, world.ada);
    const slow = await world.space({ embedderId });
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.next({ kind: 'held', until });
    const text = (spaceId: string, originalContent: string) => ({
      spaceId,
      contentType: 'text/plain',
      originalContent: new TextEncoder().encode(originalContent),
    });
    const many = [];
    for (const word of ['one', 'two', 'three', 'four']) {
      many.push(await world.memory('createMemory', text(slow, word), world.ada));
    }
    workers.start();
    await provider.received(1);
    const bobs = spaces.find(({ ownerId }) => ownerId === world.bob.userId)?.spaceId ?? '';
    const short = await world.memory('createMemory', text(bobs, 'short'), world.bob);
    release();
    await world.ingest.completions.wait(
      [...many, short].map(({ memoryId }) => memoryId),
      30_000,
      signal,
    );
    const ran = await sql<{ owner: string }>(
      world.db,
      'select j.owner_id as owner from job_attempt a join job j using (job_id) where a.ok order by a.attempt_id',
    );
    const whose = ran.map(({ owner }) => (owner === world.bob.userId ? 'bob' : 'ada'));
    expect(whose).toEqual(['ada', 'bob', 'ada', 'ada', 'ada']);
  } finally {
    await workers.stop();
    await provider.close();
  }
});

test('a slow separator pattern fails its own memory within seconds and says so', async () => {
  const workers = world.workers();
  try {
    workers.start();
    const hostile = {
      case: 'recursive' as const,
      value: { chunkSize: 30, separators: ['(a+)+$'], separatorIsRegex: true },
    };
    const spaceId = await world.space({ defaultChunkingConfig: { strategy: hostile } });
    const { memoryId } = await world.remember(spaceId, `${'a'.repeat(60)}b`);
    const failed = await world.processed(memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    expect(failed.failureReason).toMatch(/^Cutting with the separator patterns took longer than 2 s/);
    expect(failed.processingHistory?.attempts).toHaveLength(1);
  } finally {
    await workers.stop();
  }
});
