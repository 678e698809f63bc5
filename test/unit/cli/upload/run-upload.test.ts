import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { type CliOptions, cli } from '../host.fixture.ts';
import { callFailure, type MemoryStore, type StoreBehaviour, startMemoryStore } from '../memory-store.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
let folder: string;
const stores: MemoryStore[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-upload-run-'));
  await mkdir(join(folder, 'notes/deep'), { recursive: true });
  const files = {
    'notes/b.md': '# b',
    'notes/a.txt': 'a',
    'notes/deep/c.PDF': '%PDF-',
    'notes/plain': 'no extension, but text',
    'notes/blob': '\u0000\u0001',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
});
afterAll(async () => {
  for (const { server } of stores) server.close();
  await rm(folder, { recursive: true });
});

async function store(behaviour: StoreBehaviour = {}) {
  const memories = await startMemoryStore(behaviour);
  stores.push(memories);
  const add = (args: readonly string[], options: CliOptions = {}) =>
    cli(['memories', 'add', SPACE, ...args], {
      cwd: folder,
      env: { SVC_SERVER: `http://127.0.0.1:${memories.server.port}` },
      ...options,
    });
  return { ...memories, add };
}

const AGAIN = 'Run the same command again to continue; what is stored is not sent again.\n';

test('small files go in one call; each is told, and what has no name is skipped', async () => {
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
  const file = join(folder, 'changing.txt');
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

test('many files make several calls; large content is asked for before it is sent', async () => {
  const { add, count, server } = await store();
  await mkdir(join(folder, 'many'));
  for (let at = 0; at < 120; at += 1) await writeFile(join(folder, `many/${at}.txt`), `note ${at}`);
  await writeFile(join(folder, 'many/large.txt'), 'x'.repeat(3_000_000));
  expect((await add(['many', '--parallel', '2'])).stderr).toBe('121 uploaded\n');
  expect([count('BatchCreateMemory'), count('BatchGetMemory')]).toEqual([4, 1]);
  expect((await add(['many'])).stderr).toBe('121 unchanged\n');
  const sent = server.calls.filter(({ name }) => name === 'BatchCreateMemory').slice(4);
  const sizes = sent.map(({ request }) => (request as { requests: unknown[] }).requests.length);
  expect(sizes).not.toContain(1);
  await rm(join(folder, 'many'), { recursive: true });
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

test('a rate limit holds all calls back, is told once, and then the run goes on', async () => {
  let until: number | undefined;
  let refused = 0;
  const call = (): Error | undefined => {
    until ??= Date.now() + 1000;
    if (Date.now() >= until) return undefined;
    refused += 1;
    return callFailure('RESOURCE_EXHAUSTED', 'Rate limit exceeded', '1');
  };
  const { add, count } = await store({ call });
  await mkdir(join(folder, 'limited'));
  for (let at = 0; at < 120; at += 1) await writeFile(join(folder, `limited/${at}.txt`), `note ${at}`);
  const { code, stderr } = await add(['limited']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'waiting 1 s: rate limit\n120 uploaded\n' });
  expect(count('BatchCreateMemory')).toBe(refused + 3);
  expect(refused).toBeLessThanOrEqual(3);
  await rm(join(folder, 'limited'), { recursive: true });
});

test('Ctrl-C while files are looked for says that nothing was uploaded', async () => {
  const { add, server } = await store();
  const { code, stderr } = await add(['notes'], { signal: AbortSignal.abort(new Interrupted('SIGINT')) });
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: 'Interrupted while looking for files: nothing was uploaded.\n',
  });
  expect(server.calls).toEqual([]);
});

test('Ctrl-C during a pause says what was done and how to go on', async () => {
  const limited = callFailure('RESOURCE_EXHAUSTED', 'Rate limit exceeded', '600');
  const { add, server } = await store({ call: (create) => (create === 2 ? limited : undefined) });
  await add(['notes/a.txt']);
  const stop = new AbortController();
  const running = add(['notes/a.txt', 'notes/b.md'], { signal: stop.signal });
  await expect.poll(() => server.calls.filter(({ name }) => name === 'BatchCreateMemory').length).toBe(2);
  stop.abort(new Interrupted('SIGINT'));
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toContain(
    `Interrupted: 1 of 2 files are stored\n1 more was being sent; the server may have stored it.\n1 unchanged\n${AGAIN}`,
  );
});

test('items that meet a restart are sent again, and only they', async () => {
  let isStopping = true;
  const { add, server } = await store({
    item: ({ metadata }) => (isStopping && metadata.filename === 'b.md' ? 'UNAVAILABLE' : undefined),
    call: (create) => {
      isStopping = create === 1;
      return create === 2 ? callFailure('UNAVAILABLE', 'The server is starting', '0') : undefined;
    },
  });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md']);
  const waiting = 'waiting 1 s: the server does not answer\n';
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${waiting}${waiting}2 uploaded\n` });
  const calls = server.calls.filter(({ name }) => name === 'BatchCreateMemory');
  expect(calls.map(({ request }) => (request as { requests: unknown[] }).requests.length)).toEqual([2, 1, 1]);
});

test('a server that was never there is not waited for', async () => {
  const down = () => callFailure('UNAVAILABLE', 'Going down');
  const { add } = await store({ list: down, call: down });
  const { code, stderr } = await add(['notes/a.txt']);
  expect(code).toBe(69);
  expect(stderr).toMatch(new RegExp(`^${AGAIN}svc: Going down\n`));
});

test('a failure of one file does not stop the others', async () => {
  const { add, stored } = await store({
    item: ({ metadata }) => (metadata.filename === 'a.txt' ? 'PAYLOAD_TOO_LARGE' : undefined),
  });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md']);
  expect(code).toBe(65);
  const why = 'notes/a.txt: Refused: PAYLOAD_TOO_LARGE\n';
  expect(stderr).toBe(`failed  ${why}1 uploaded, 1 failed\nFailed:\n  ${why}`);
  expect(stored.size).toBe(1);
});

test('a batch that fails as a whole is sent file by file', async () => {
  const broken = callFailure('INTERNAL', 'The server failed');
  const { add, stored } = await store({ call: (create) => (create <= 2 ? broken : undefined) });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md', 'notes/plain']);
  expect(code).toBe(1);
  expect(stderr).toContain('2 uploaded, 1 failed\nFailed:\n  notes/a.txt: The server failed\n');
  expect(stored.size).toBe(2);
});

test('a missing permission stops at once, with the summary', async () => {
  const { add, count } = await store({ item: () => 'PERMISSION_DENIED' });
  const { code, stderr } = await add(['notes']);
  expect(code).toBe(77);
  expect(stderr).toContain('svc: Refused: PERMISSION_DENIED\n');
  expect(count('BatchCreateMemory')).toBe(1);
});

test('a terminal without a screen gets a line for each file and nothing that is redrawn', async () => {
  const { add } = await store();
  const { stdout, stderr } = await add(['notes/a.txt', 'notes/b.md'], { terminal: true, columns: 60 });
  expect(stdout).toMatch(/^uploaded {2}\S+ {2}notes\/a\.txt\nuploaded {2}\S+ {2}notes\/b\.md\n$/);
  expect(stderr.endsWith('2 uploaded\n')).toBe(true);
});

test('an earlier version stays until the new one can be found, and when that has failed', async () => {
  let isProcessed = false;
  let clock = 0;
  const { add, stored } = await store({ isProcessed: () => isProcessed });
  const file = join(folder, 'slow.txt');
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

test('what others have stored under the path of a file is never an earlier version of it', async () => {
  const { add, stored } = await store();
  const file = join(folder, 'book.txt');
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
      await mkdir(join(folder, machine));
      await writeFile(join(folder, machine, 'shared.txt'), machine);
      await add(['shared.txt', '--keep-old'], { cwd: join(folder, machine) });
    }
    // Both have listed both versions, and each has its own unchanged, before either goes on.
    let goOn = (): void => {};
    held.list = new Promise((resolve) => {
      goOn = resolve;
    });
    const before = lists;
    const slow = add(['shared.txt'], { cwd: join(folder, late) });
    await expect.poll(() => lists).toBeGreaterThan(before);
    held.list = Promise.resolve();
    await add(['shared.txt'], { cwd: join(folder, late === 'first' ? 'second' : 'first') });
    goOn();
    expect((await slow).code).toBe(0);
    expect(contents()).toEqual(['first']);
    for (const machine of ['first', 'second']) await rm(join(folder, machine), { recursive: true });
  },
);

test('a version that another machine stores later than the present one stays, and is told', async () => {
  let isOther = false;
  const { add, stored } = await store({
    isProcessed: ({ originalContent }) => !isOther || Buffer.from(originalContent).includes('mine'),
  });
  const file = join(folder, 'late.txt');
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

test('a memory that somebody else deletes before it is processed keeps the earlier version, and the others go on', async () => {
  let isDeleting = false;
  const memories = await store({
    isProcessed: ({ memoryId, metadata }) =>
      !(isDeleting && metadata.path === 'lost.txt' && memories.stored.delete(memoryId)),
  });
  const { add, stored } = memories;
  for (const name of ['lost.txt', 'other.txt']) await writeFile(join(folder, name), 'one');
  await add(['lost.txt', 'other.txt']);
  for (const name of ['lost.txt', 'other.txt']) await writeFile(join(folder, name), 'two');
  const [earlier] = [...stored.values()].filter(({ metadata }) => metadata.path === 'lost.txt');
  isDeleting = true;
  const run = add(['lost.txt', 'other.txt', '--wait']);
  const { code, stderr } = await run;
  expect({ code, stderr }).toMatchObject({
    code: 66,
    stderr: expect.stringContaining(
      'failed  lost.txt: its memory was deleted by somebody else before it was processed\n',
    ),
  });
  expect(stderr).toContain('2 uploaded, 1 replaced\n');
  expect(earlier).toBeDefined();
  for (const name of ['lost.txt', 'other.txt']) await rm(join(folder, name));
});

test('what replaces something is looked for in one call for many files', async () => {
  const { add, count } = await store();
  await mkdir(join(folder, 'few'));
  for (let at = 0; at < 150; at += 1) await writeFile(join(folder, `few/${at}.txt`), `note ${at}`);
  await add(['few']);
  expect(count('ListMemories')).toBe(1);
  // What is there under its path is not sent again, nor asked for.
  expect((await add(['few'])).stderr).toBe('150 unchanged\n');
  expect([count('ListMemories'), count('BatchCreateMemory'), count('BatchGetMemory')]).toEqual([2, 3, 0]);
  await rm(join(folder, 'few'), { recursive: true });
});

test('a key that may store and not list replaces nothing, and is told so', async () => {
  const refused = callFailure('PERMISSION_DENIED', 'The key lacks the permission LIST_MEMORY_OWN');
  const { add, stored } = await store({ list: () => refused });
  const { code, stderr } = await add(['notes/a.txt']);
  const why = 'Earlier versions stay: The key lacks the permission LIST_MEMORY_OWN\n';
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${why}1 uploaded\n` });
  expect(stored.size).toBe(1);
});

test('text that is no UTF-8 is converted and told; what is no text is refused under the name of text', async () => {
  const { add, stored } = await store();
  await mkdir(join(folder, 'old'));
  await writeFile(join(folder, 'old/a.txt'), Buffer.from('Öl für den Kessel "neu"', 'latin1'));
  await writeFile(join(folder, 'old/b.html'), Buffer.from('<p>Caf\u00e9</p>', 'latin1'));
  await writeFile(join(folder, 'old/c.txt'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff, 0xfe, 0]));
  await writeFile(join(folder, 'old/d'), Buffer.from('caf\u00e9', 'latin1'));
  const { code, stderr } = await add(['old']);
  expect(code).toBe(65);
  expect(stderr).toContain('converted  old/a.txt: from windows-1252 to UTF-8\n');
  expect(stderr).toContain('failed  old/c.txt: It is not text: it would be stored as text/plain');
  expect(stderr).toContain('3 uploaded, 1 failed, 3 converted to UTF-8\n');
  const facts = [...stored.values()].map(({ contentType, originalContent }) => [
    contentType,
    Buffer.from(originalContent).toString(),
  ]);
  expect(facts.sort()).toEqual([
    ['text/html; charset=utf-8', '<p>Café</p>'],
    ['text/plain', 'café'],
    ['text/plain', 'Öl für den Kessel "neu"'],
  ]);
  expect((await add(['old/c.txt', '--content-type', 'application/x-elf'])).code).toBe(0);
  expect((await add(['old/b.html', '--content-type', 'text/html; charset=iso-8859-1'])).stderr).not.toContain(
    'converted',
  );
  await rm(join(folder, 'old'), { recursive: true });
});
