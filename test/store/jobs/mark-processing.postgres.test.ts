import { expect, test } from 'vitest';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import { lockMemory } from '../../../src/server/store/jobs.ts';
import { markProcessing } from '../../../src/server/store/processing.ts';
import { sql } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();

test('marking memories waits for none that others have locked', async () => {
  const spaceId = await world.space();
  for (const text of ['one', 'two', 'three']) await world.remember(spaceId, text);
  const { background, main } = world.db;
  const leaseToken = crypto.randomUUID();
  const jobs = await claimJobs(background, { workerId: 'w', leaseToken, leaseMs: 60_000, most: 64, smallBytes: 4096 });
  const own = jobs.filter((job) => job.spaceId === spaceId);
  const [locked] = own;
  await main.withTx(async (tx) => {
    if (locked !== undefined) await lockMemory(tx, locked);
    await markProcessing(background, own, { timeoutMs: 3000 });
  });
  const rows = await sql<{ status: string }>(
    world.db,
    'select processing_status as status from memory where space_id = $1 order by memory_id = $2 desc',
    [spaceId, locked?.memoryId],
  );
  expect(rows.map(({ status }) => status)).toEqual(['PENDING', 'PROCESSING', 'PROCESSING']);
});
