import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useUploads } from './uploads.fixture.ts';

const { place, store } = useUploads();

test('small files go in one call; each is reported, and a file without a usable type is skipped', async () => {
  const { add, stored, count } = await store();
  const { code, stdout, stderr } = await add(['notes', '--metadata', 'source=test']);
  expect(code).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2}[0-9a-f-]{36} {2}/, ' ID '));
  expect(lines).toEqual(['a.txt', 'b.md', 'deep/c.PDF', 'plain'].map((name) => `uploaded ID notes/${name}`));
  expect(stderr).toBe('skipped  notes/blob: neither text nor of a known type\n4 uploaded, 1 skipped\n');
  expect([count('BatchCreateMemory'), count('BatchGetMemory')]).toEqual([1, 0]);
  const facts = [...stored.values()].map(({ metadata, contentType }) => [
    metadata.path,
    metadata.filename,
    contentType,
  ]);
  expect(facts).toContainEqual(['notes/deep/c.PDF', 'c.PDF', 'application/pdf']);
  expect(facts).toContainEqual(['notes/plain', 'plain', 'text/plain']);
  expect([...stored.values()].every(({ metadata }) => metadata.source === 'test')).toBe(true);
});

test('a second run uploads nothing, a changed file is uploaded again', async () => {
  const { add, stored } = await store();
  const file = join(place.folder, 'changing.txt');
  await writeFile(file, 'one');
  await add(['changing.txt', 'notes/a.txt']);
  expect((await add(['changing.txt', 'notes/a.txt'])).stderr).toBe('2 unchanged\n');
  await writeFile(file, 'two');
  const replaced = await add(['changing.txt', 'notes/a.txt']);
  expect(replaced.stderr).toBe('1 uploaded, 1 unchanged, 1 replaced\n');
  expect(replaced.stdout).toMatch(/^deleted {2}\S+ {2}changing\.txt$/m);
  expect(stored.size).toBe(2);
  await writeFile(file, 'three');
  expect((await add(['changing.txt', '--keep-old'])).stderr).toBe('1 uploaded\n');
  expect(stored.size).toBe(3);
  // Back to an earlier version, which is there: it is stored anew to be the latest, and the one that came between goes.
  await writeFile(file, 'two');
  expect((await add(['changing.txt', '--prune-old'])).stderr).toBe('1 uploaded, 1 replaced\n');
  expect((await add(['changing.txt'])).stderr).toBe('1 unchanged\n');
  expect(stored.size).toBe(2);
  await rm(file);
});

test('many files make several calls; large content is checked before it is sent', async () => {
  const { add, count, server } = await store();
  await mkdir(join(place.folder, 'many'));
  for (let at = 0; at < 120; at += 1) await writeFile(join(place.folder, `many/${at}.txt`), `note ${at}`);
  await writeFile(join(place.folder, 'many/large.txt'), 'x'.repeat(3_000_000));
  expect((await add(['many', '--parallel', '2'])).stderr).toBe('121 uploaded\n');
  expect([count('BatchCreateMemory'), count('BatchGetMemory')]).toEqual([4, 1]);
  expect((await add(['many'])).stderr).toBe('121 unchanged\n');
  const sent = server.calls.filter(({ name }) => name === 'BatchCreateMemory').slice(4);
  const sizes = sent.map(({ request }) => (request as { requests: unknown[] }).requests.length);
  expect(sizes).not.toContain(1);
  await rm(join(place.folder, 'many'), { recursive: true });
});

test('--wait ends when all are processed and lists what failed', async () => {
  const { add } = await store();
  const { code, stdout, stderr } = await add(['notes', '--wait', '-o', 'ndjson']);
  expect(code).toBe(1);
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).processingStatus);
  expect(records.sort()).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED']);
  expect(stderr).toContain('"message":"notes/deep/c.PDF: The file is damaged"');
  expect(stderr).not.toContain('Failed:');
  const again = await add(['notes', '--wait']);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('Failed:\n  notes/deep/c.PDF: The file is damaged\n');
});

test('--dry-run sends nothing and says what it would send', async () => {
  const { add, stored } = await store();
  const { code, stdout } = await add(['notes/a.txt', '--dry-run', '-o', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { action: 'upload', path: 'notes/a.txt', contentType: 'text/plain', bytes: 1 },
  ]);
  expect(stored.size).toBe(0);
});

test('stdin is one document', async () => {
  const { add, stored } = await store();
  expect((await add(['-'], { stdin: 'The boiler was serviced.' })).code).toBe(0);
  const [memory] = stored.values();
  expect(memory).toMatchObject({ contentType: 'text/plain', metadata: {} });
  expect(Buffer.from(memory?.originalContent ?? '').toString()).toBe('The boiler was serviced.');
  expect((await add(['-', 'notes'])).code).toBe(64);
  expect((await add(['-'], { stdin: '\u0000' })).code).toBe(64);
  expect((await add(['notes', '--prune-old', '--keep-old'])).code).toBe(64);
});
