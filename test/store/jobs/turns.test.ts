import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import type { Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
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

/** Such jobs with memories of content of so many bytes, the first of them due for so many seconds. */
async function memories(place: number, count: number, length: number, since = 0): Promise<void> {
  const { ownerId, spaceId } = spaces[place] ?? { ownerId: '', spaceId: '' };
  await sql(
    world.db,
    `with made as (
       insert into memory (memory_id, space_id, content_id, content_length, content_sha256, content_type, created_at,
         updated_at, created_by_id, updated_by_id)
       select gen_random_uuid(), $2, gen_random_uuid(), $3, '', 'text/plain', now(), now(), $1, $1
       from generate_series(1, $5::int) returning space_id, memory_id
     )
     insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at, updated_at)
     select 'document_processor', $1, space_id, memory_id, 'PENDING', 5,
       now() - interval '1 hour' - ($4 * interval '1 second'), now(), now()
     from made`,
    [ownerId, spaceId, length, since, count],
  );
}

/** The place of the owner whose job is claimed, -1 for none, and the owner for the next claim. */
async function claim(after?: string): Promise<{ place: number; jobId: number; after: string | undefined }> {
  const [job] = await claimJobs(world.db.background, {
    workerId: 'w',
    leaseToken: randomUUID(),
    leaseMs: 60_000,
    after,
  });
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

  test('shares a batch of small jobs among the owners, and leaves large ones for later', async () => {
    for (const [place, count] of [5, 2, 1].entries()) await memories(place, count, 10);
    // The first of its owner, and behind two small ones.
    await memories(2, 1, 1000, 60);
    await memories(0, 1, 1000, -60);
    const batch = { workerId: 'w', leaseMs: 60_000, most: 5, smallBytes: 100 };
    const next = async (after?: string) => {
      const claimed = await claimJobs(world.db.background, { ...batch, leaseToken: randomUUID(), after });
      return claimed.map(({ ownerId }) => spaces.findIndex((space) => space.ownerId === ownerId));
    };
    const first = await next();
    expect([first[0], first.toSorted()]).toEqual([0, [0, 0, 0, 1, 1]]);
    expect(await next(spaces[0]?.ownerId)).toEqual([2]);
    expect(await next(spaces[2]?.ownerId)).toEqual([0, 0, 2]);
    expect(await next(spaces[0]?.ownerId)).toEqual([0]);
    expect(await next(spaces[0]?.ownerId)).toEqual([]);
  });

  test('gives concurrent claims different jobs', async () => {
    for (const place of [0, 1, 2]) await jobs(place, 10);
    const claims = await Promise.all(Array.from({ length: 30 }, () => claim()));
    expect(new Set(claims.map(({ jobId }) => jobId)).size).toBe(30);
    expect((await claim()).jobId).toBe(-1);
  });
});

/** Content of a job that is claimed by itself. */
const LARGE = ' and so on'.repeat(500);

test('a short text waits for one job of another owner at most', () =>
  claimedBeside(LARGE, ['ada', 'bob', 'ada', 'ada', 'ada']));

test('a short text waits for one batch of small jobs of another owner at most', () =>
  claimedBeside('', ['ada ada ada ada', 'ada ada ada ada bob']));

/** Whose jobs are claimed together when bob's text comes while the first of ada's texts, which end in `more`, is held. */
async function claimedBeside(more: string, claims: readonly string[]): Promise<void> {
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
    const many: Memory[] = [];
    const remember = async () => {
      for (const word of ['one', 'two', 'three', 'four']) {
        many.push(await world.memory('createMemory', text(slow, word + more), world.ada));
      }
    };
    await remember();
    workers.start();
    await provider.received(1);
    if (more === '') await remember();
    const bobs = spaces.find(({ ownerId }) => ownerId === world.bob.userId)?.spaceId ?? '';
    const short = await world.memory('createMemory', text(bobs, 'short'), world.bob);
    release();
    await world.ingest.completions.wait(
      [...many, short].map(({ memoryId }) => memoryId),
      30_000,
      signal,
    );
    const ran = await sql<{ owners: string[] }>(
      world.db,
      `select array_agg(j.owner_id::text) as owners from job_attempt a join job j using (job_id)
       where a.ok group by a.started_at order by a.started_at`,
    );
    const whose = ran.map(({ owners }) => owners.map((id) => (id === world.bob.userId ? 'bob' : 'ada')).sort());
    expect(whose.map((owners) => owners.join(' '))).toEqual(claims);
  } finally {
    await workers.stop();
    await provider.close();
  }
}

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
