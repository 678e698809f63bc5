import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callFailure } from '../../../support/client/memory-store.fixture.ts';
import { useUploads } from './uploads.fixture.ts';

const { place, store } = useUploads();

test('an earlier version stays until the new one is COMPLETED, and when that FAILED', async () => {
  let isProcessed = false;
  let clock = 0;
  const { add, stored } = await store({ isProcessed: () => isProcessed });
  const file = join(place.folder, 'slow.txt');
  // An hour between two looks at the clock: the patience of a run that was not asked to wait is at its end.
  const now = (): number => (clock += 3_600_000);
  await writeFile(file, 'one');
  await add(['slow.txt']);
  await writeFile(file, 'two');
  const kept = await add(['slow.txt'], { now });
  expect(kept.code).toBe(0);
  expect(kept.stderr).toMatch(
    /^kept {2}slow\.txt: the earlier version \S+, because its new version is not processed yet\n1 uploaded\nEarlier versions stay until/,
  );
  expect(stored.size).toBe(2);
  isProcessed = true;
  expect((await add(['slow.txt'])).stderr).toBe('1 unchanged, 1 replaced\n');
  await writeFile(file, 'three %PDF');
  const failed = await add(['slow.txt']);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('kept  slow.txt: the earlier version');
  expect(failed.stderr).toContain('Failed:\n  slow.txt: The file is damaged\n');
  expect(stored.size).toBe(2);
  await rm(file);
});

test('a memory of another user under the same path is never an earlier version', async () => {
  const { add, stored } = await store();
  const file = join(place.folder, 'book.txt');
  await writeFile(file, 'one');
  await add(['book.txt']);
  const [mine] = stored.values();
  if (mine === undefined) throw new Error('Nothing is stored');
  for (let part = 0; part < 3; part += 1) {
    const memoryId = `01980000-0000-7000-8000-00000000000${part}`;
    stored.set(memoryId, { ...mine, memoryId, originalContent: Buffer.from(`part ${part}`) });
  }
  await writeFile(file, 'two');
  expect((await add(['book.txt'])).stderr).toBe('1 uploaded, 1 replaced\n');
  expect([...stored.values()].map(({ originalContent }) => Buffer.from(originalContent).toString()).sort()).toEqual([
    ...['part 0', 'part 1', 'part 2', 'two'],
  ]);
  await rm(file);
});

test.each(['first', 'second'])(
  'of two machines that add one path at the same time the %s does not lose the last copy',
  async (late) => {
    const held = { list: Promise.resolve() };
    let lists = 0;
    const { add, stored } = await store({
      listed: () => {
        lists += 1;
        return held.list;
      },
    });
    const contents = () => [...stored.values()].map(({ originalContent }) => Buffer.from(originalContent).toString());
    for (const machine of ['first', 'second']) {
      await mkdir(join(place.folder, machine));
      await writeFile(join(place.folder, machine, 'shared.txt'), machine);
      await add(['shared.txt', '--keep-old'], { cwd: join(place.folder, machine) });
    }
    // Both have listed both versions, and each has its own unchanged, before either goes on.
    let goOn = (): void => {};
    held.list = new Promise((resolve) => {
      goOn = resolve;
    });
    const before = lists;
    const slow = add(['shared.txt'], { cwd: join(place.folder, late) });
    await expect.poll(() => lists).toBeGreaterThan(before);
    held.list = Promise.resolve();
    await add(['shared.txt'], { cwd: join(place.folder, late === 'first' ? 'second' : 'first') });
    goOn();
    expect((await slow).code).toBe(0);
    expect(contents()).toEqual(['first']);
    for (const machine of ['first', 'second']) await rm(join(place.folder, machine), { recursive: true });
  },
);

test('a later version of another machine stays, and is reported', async () => {
  let isOther = false;
  const { add, stored } = await store({
    isProcessed: ({ originalContent }) => !isOther || Buffer.from(originalContent).includes('mine'),
  });
  const file = join(place.folder, 'late.txt');
  await writeFile(file, 'mine');
  await add(['late.txt']);
  isOther = true;
  await writeFile(file, 'theirs');
  await add(['late.txt', '--keep-old']);
  await writeFile(file, 'mine');
  const { code, stderr } = await add(['late.txt']);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^kept {2}late\.txt: the version \S+, because it was stored later than the present one\n1 unchanged\n/,
  );
  expect(stored.size).toBe(2);
  await rm(file);
});

test('a memory that another client deletes before it is processed keeps the earlier version, and the others go on', async () => {
  let isDeleting = false;
  const memories = await store({
    isProcessed: ({ memoryId, metadata }) =>
      !(isDeleting && metadata.path === 'lost.txt' && memories.stored.delete(memoryId)),
  });
  const { add, stored } = memories;
  for (const name of ['lost.txt', 'other.txt']) await writeFile(join(place.folder, name), 'one');
  await add(['lost.txt', 'other.txt']);
  for (const name of ['lost.txt', 'other.txt']) await writeFile(join(place.folder, name), 'two');
  const [earlier] = [...stored.values()].filter(({ metadata }) => metadata.path === 'lost.txt');
  isDeleting = true;
  const run = add(['lost.txt', 'other.txt', '--wait']);
  const { code, stderr } = await run;
  expect({ code, stderr }).toMatchObject({
    code: 66,
    stderr: expect.stringContaining(
      'failed  lost.txt: its memory was deleted by another client before it was processed\n',
    ),
  });
  expect(stderr).toContain('2 uploaded, 1 replaced\n');
  expect(earlier).toBeDefined();
  for (const name of ['lost.txt', 'other.txt']) await rm(join(place.folder, name));
});

test('earlier versions of many files are looked up in one call', async () => {
  const { add, count } = await store();
  await mkdir(join(place.folder, 'few'));
  for (let at = 0; at < 150; at += 1) await writeFile(join(place.folder, `few/${at}.txt`), `note ${at}`);
  await add(['few']);
  expect(count('ListMemories')).toBe(1);
  // What is there under its path is not sent again, nor asked for.
  expect((await add(['few'])).stderr).toBe('150 unchanged\n');
  expect([count('ListMemories'), count('BatchCreateMemory'), count('BatchGetMemory')]).toEqual([2, 3, 0]);
  await rm(join(place.folder, 'few'), { recursive: true });
});

test('a key that may create and not list replaces nothing, with a remark', async () => {
  const refused = callFailure('PERMISSION_DENIED', 'The key lacks the permission LIST_MEMORY_OWN');
  const { add, stored } = await store({ list: () => refused });
  const { code, stderr } = await add(['notes/a.txt']);
  const why = 'Earlier versions stay: The key lacks the permission LIST_MEMORY_OWN\n';
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${why}1 uploaded\n` });
  expect(stored.size).toBe(1);
});
