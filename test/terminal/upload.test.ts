import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callFailure,
  type MemoryStore,
  type StoreBehavior,
  startMemoryStore,
} from '../support/client/memory-store.fixture.ts';
import { useTerminals } from '../support/terminal.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const AGAIN = 'Run the same command again to continue; what is stored is not sent again.';
const CTRL_C = '\u0003';
const open = useTerminals();
const stores: MemoryStore[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-terminal-upload-'));
  await mkdir(join(folder, 'many'));
  await mkdir(join(folder, 'few'));
  const longName = `${'long-'.repeat(20)}name`;
  for (let at = 100; at < 220; at += 1) await writeFile(join(folder, `many/${at}-${longName}.txt`), `note ${at}`);
  await writeFile(join(folder, 'few/a.txt'), 'a');
  await writeFile(join(folder, 'few/b\u001b[31m.txt'), 'b');
  await writeFile(join(folder, 'few/c.pdf'), '%PDF-');
  await writeFile(join(folder, 'blob'), Buffer.from([0, 1, 2]));
});
afterAll(async () => {
  for (const { server } of stores) server.close();
  await rm(folder, { recursive: true });
});

async function add(behavior: StoreBehavior, args: readonly string[], columns: number) {
  const store = await startMemoryStore(behavior);
  stores.push(store);
  const env = { SVC_SERVER: `http://127.0.0.1:${store.server.port}` };
  return { store, terminal: open(['memories', 'add', SPACE, ...args], { columns, cwd: folder, env }) };
}

/** A promise that a test settles. */
function held<T>() {
  let release: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

test('the bar, the files in progress and the pause, redrawn while the terminal narrows; Ctrl-C in the pause', async () => {
  const second = held<Error | undefined>();
  const { terminal } = await add(
    { call: (create) => (create === 2 ? second.promise : undefined) },
    ['many', '--parallel', '1'],
    80,
  );
  await terminal.shows(/50\/120 files/);
  await terminal.shows('and 46 more');
  expect(terminal.text).toMatch(new RegExp(`Uploading to ${SPACE}\n━+╸?─+ {2}41 %\n50/120 files {2}400 B of 960 B`));
  expect(terminal.text).toMatch(/\n {2}sending 8 B {2}many\/150-long-.*…\n/);
  terminal.resize(60, 24);
  second.release(callFailure('RESOURCE_EXHAUSTED', 'Rate limit exceeded', '600'));
  await terminal.shows(/waiting (600|599) s: rate limit/);
  terminal.type(CTRL_C);
  expect(await terminal.ended()).toBe(130);
  const shown = terminal.text;
  expect(shown).toMatch(
    new RegExp(
      `Interrupted: 50 of 120 files are stored\n50 more were being sent; the server may have stored them\\.\n50 uploaded \\(400 B in [\\d.]+ s\\)\n${AGAIN.slice(0, 57)}`,
    ),
  );
  expect(shown.replaceAll('\n', '')).toContain(AGAIN);
  expect(shown).not.toMatch(/Uploading|━|─|sending/);
});

test('Ctrl-C while a batch is sent', async () => {
  const { terminal } = await add({ call: () => held<undefined>().promise }, ['few'], 60);
  await terminal.shows('0/3 files');
  await terminal.shows('few/c.pdf');
  terminal.type(CTRL_C);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.lines[0]).toBe('Interrupted: 0 of 3 files are stored');
  expect(terminal.lines[1]).toBe('3 more were being sent; the server may have stored them.');
  expect(terminal.text).not.toMatch(/━|─|sending/);
});

test('the screen shows the wait for processing; Ctrl-C ends the wait and not the processing', async () => {
  const { terminal } = await add(
    { isProcessed: ({ metadata }) => metadata.filename === 'a.txt' },
    ['few', '--wait'],
    200,
  );
  await terminal.shows(/Processing in .*\n.*\n1 of 3 processed/);
  await terminal.shows(/processing {2}few\/b \[31m\.txt/);
  terminal.type(CTRL_C);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.lines[0]).toBe('Interrupted: 3 of 3 files are stored, 1 of 3 processed');
  expect(terminal.lines.at(-1)).toBe('The server continues processing. Run the same command again to wait for it.');
});

test('the end lists skipped and failed files with reasons, and erases the progress screen', async () => {
  const { terminal } = await add({}, ['few', 'blob', '--wait'], 60);
  expect(await terminal.ended()).toBe(1);
  expect(terminal.lines.map((line) => line.replace(/in [\d.]+ s/, 'in T s'))).toEqual([
    '3 uploaded, 1 skipped (7 B in T s)',
    'Skipped:',
    '  blob: neither text nor of a known type',
    'Failed:',
    '  few/c.pdf: The file is damaged',
  ]);
});
