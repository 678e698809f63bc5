import { afterEach, expect, test } from 'vitest';
import { createSite, type Document, type Running, type Site } from './kill.fixture.ts';
import { expectJobsDone, expectNoOrphans, expectVectors, expectWhole, storedOf } from './kill-stored.fixture.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.end();
  site = undefined;
});

/** Beyond what one transaction writes, on either engine. */
const MANY_CHUNKS = 700;

function small(at: Site, count: number, label: string): Document[] {
  const { builtin, openai, both } = at.spaces;
  return Array.from({ length: count }, (_, n) => ({
    spaceId: [builtin, openai, both][n % 3] ?? builtin,
    text: `${label} ${n}: the boiler in the cellar is nº ${n * 7919} — 𝔊 `.repeat((n % 4) + 1),
  }));
}

function large(spaceId: string, label: string): Document {
  const words = Array.from({ length: MANY_CHUNKS }, (_, n) => `${label}-${String(n).padStart(4, '0')}€`);
  return { spaceId, text: words.join(' '), chunkSize: label.length + 7 };
}

/** How many of the memories sent so far are in each status; what is not there counts for nothing. */
async function statuses(at: Site, running: Running): Promise<string[]> {
  const memoryIds = at.sent.map(({ memoryId }) => memoryId);
  if (memoryIds.length === 0) return [];
  const { results } = await at.ok(running, 'batchGetMemory', { memoryIds });
  return results.flatMap((result: { memory?: { processingStatus: string } }) => result.memory?.processingStatus ?? []);
}

async function completed(at: Site, running: Running): Promise<void> {
  await at.poll('every memory is COMPLETED', async () => {
    const all = await statuses(at, running);
    return all.every((status) => status === 'COMPLETED') || undefined;
  });
}

type Moment = (at: Site, running: Running) => Promise<unknown>;

const MOMENTS: Readonly<Record<string, Moment>> = {
  'after a few uploads were accepted': (at) => {
    const before = at.sent.length;
    return at.poll(
      'uploads are accepted',
      async () => at.sent.slice(before).filter((s) => s.accepted).length >= 4 || undefined,
    );
  },
  'after the first was completed': (at, running) =>
    at.poll('a memory is COMPLETED', async () => (await statuses(at, running)).includes('COMPLETED') || undefined),
  'in the middle of a large one': (at, running) =>
    at.poll('a large memory is partly written', async () => {
      for (const { memoryId, text, accepted } of at.sent) {
        if (!accepted || text.length < MANY_CHUNKS) continue;
        const memory = await at.ok(running, 'getMemory', { memoryId, includeProcessingHistory: true });
        const progress = memory.processingHistory.attempts[0]?.progressCurrent ?? 0;
        if (memory.processingStatus === 'PROCESSING' && progress > 0) return true;
      }
      return undefined;
    }),
};

test('accepted memories survive repeated SIGKILL', { timeout: 240_000 }, async () => {
  const created = await createSite();
  site = created.site;
  const { spaces, standIn } = site;
  let running = created.first;
  standIn.always({ kind: 'slow', ms: 40 });
  for (const [label, moment] of Object.entries(MOMENTS)) {
    const tag = label.replace(/\W/g, '');
    const uploads = Promise.all([
      site.upload(running, small(site, 8, `${tag} a`)),
      site.upload(running, [large(spaces.openai, `${tag}-x`), ...small(site, 6, `${tag} b`)]),
      site.upload(running, [large(spaces.builtin, `${tag}-y`), large(spaces.both, `${tag}-z`)]),
      site.upload(running, [
        { spaceId: spaces.builtin, text: `${tag} ${'long text ßß. '.repeat(80_000)}`, chunkSize: 50_000 },
      ]),
    ]);
    await moment(site, running);
    await running.server.end('SIGKILL');
    await uploads;
    running = await site.start();
  }
  standIn.always(undefined);
  await completed(site, running);
  expect(await running.server.end()).toBe(0);

  const db = await site.database.connect();
  const stored = await storedOf(db, site.sent);
  expect(site.sent.filter(({ accepted }) => accepted).length).toBeGreaterThan(10);
  for (const memory of stored) await expectWhole(db, memory);
  await expectJobsDone(db, stored.length);
  await expectVectors(db, site);
  await expectNoOrphans(db);
  const lost = await db.main.query({ name: 'test_lost', text: 'select 1 from job_attempt where not ok' });
  expect(lost.length, 'no kill came in the middle of anything').toBeGreaterThan(0);
});

test('a server that shuts down releases its jobs', { timeout: 120_000 }, async () => {
  const created = await createSite(['--shutdown-grace-s', '1']);
  site = created.site;
  const { first } = created;
  const { spaces, standIn } = site;
  standIn.always({ kind: 'hang' });
  await site.upload(first, [large(spaces.openai, 'held'), ...small(site, 5, 'waiting')]);
  await standIn.received(1);
  expect(await first.server.end()).toBe(0);

  const between = await site.database.connect();
  const held = await between.main.query<{ status: string; attempts: number; lease: string | null; memory: string }>({
    name: 'test',
    text: `select distinct j.status, j.attempts, j.lease_token as lease, m.processing_status as memory
           from job j join memory m using (space_id, memory_id) where j.status <> 'SUCCEEDED'`,
  });
  await between.close();
  expect(held).toEqual([{ status: 'PENDING', attempts: 0, lease: null, memory: 'PENDING' }]);

  standIn.always(undefined);
  const second = await site.start();
  await completed(site, second);
  expect(await second.server.end()).toBe(0);
  const db = await site.database.connect();
  const stored = await storedOf(db, site.sent);
  expect(stored).toHaveLength(6);
  for (const memory of stored) await expectWhole(db, memory);
  await expectJobsDone(db, stored.length);
  await expectVectors(db, site);
  const counted = await db.main.query({ name: 'test_attempts', text: 'select 1 from job where attempts <> 1' });
  expect(counted).toEqual([]);
});
