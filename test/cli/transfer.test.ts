import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/kit/errors.ts';
import { cli } from '../support/client/host.fixture.ts';
import { SVC } from '../support/command.ts';
import { useOwnUser } from '../support/server.fixture.ts';

const user = useOwnUser();
let env: Record<string, string>;
let folder: string;
let other: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-transfer-'));
  await mkdir(join(folder, 'house'));
  await writeFile(join(folder, 'house/boiler.txt'), 'The boiler was serviced on 3 March.\r\n\u2028"quoted"\\');
  await writeFile(join(folder, 'house/mark.txt'), '\ufeffText behind a byte order mark');
  await writeFile(join(folder, 'house/bytes.bin'), Buffer.from([0xff, 0x00, 0xfe, 0x80]));
  await writeFile(join(folder, 'house/large.txt'), 'A long line about the roof. '.repeat(100_000));
  env = user.env;
  const first = await embedder('First', '512');
  other = await embedder('Second', '256');
  await json('spaces', 'create', 'house', '--embedder', `${first}=0.5`, '--label', 'a=1', '--chunking', 'sentence');
  // One after the other: the files of one call may be stored within the same microsecond.
  for (const file of ['house/boiler.txt', 'house/mark.txt'])
    await svc('memories', 'add', 'house', file, '--metadata', 'room=cellar', '--wait');
  await svc('memories', 'add', 'house', 'house/bytes.bin', '--content-type', 'application/x-bytes');
  await svc('memories', 'add', 'house', 'house/large.txt', '--chunking', 'none');
});
afterAll(() => rm(folder, { recursive: true }));

const svc = (...args: string[]) => cli(args, { env, cwd: folder });

async function json(...args: string[]) {
  const { code, stdout, stderr } = await svc(...args, '-o', 'json');
  expect({ code, stderr }, args.join(' ')).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

const embedder = async (name: string, dimensions: string): Promise<string> =>
  (
    await json(
      ...['embedders', 'create', '--provider', 'BUILTIN', '--name', name],
      ...['--model', 'lexical-v1', '--dimensions', dimensions],
    )
  ).embedderId;

interface Line {
  space?: Record<string, unknown>;
  memory?: Record<string, unknown>;
  chunk?: { vectors: { values: number[] }[] };
  end?: unknown;
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function exported(space: string): Promise<Line[]> {
  const { code, stdout } = await svc('spaces', 'export', space, '-');
  expect(code).toBe(0);
  return linesOf(stdout);
}

/** What a copy has to have in common with its original. */
function essence(lines: readonly Line[]) {
  return lines.map(({ space, memory, ...content }) => {
    if (space !== undefined) {
      const { labels, publicRead, defaultChunkingConfig } = space;
      return { labels, publicRead, defaultChunkingConfig };
    }
    const { contentType, metadata, originalContentSha256, originalContentLength, chunkingConfig } = memory ?? {};
    return { contentType, metadata, originalContentSha256, originalContentLength, chunkingConfig, ...content };
  });
}

const byPath = (lines: readonly Line[]) =>
  [...essence(lines)].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('an export is written whole, and imported under another name it gives the same space; a repeat adds nothing', async () => {
  const written = await svc('spaces', 'export', 'house', 'house.ndjson');
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: 'Exported to house.ndjson: 4 memories (2.8 MB)\n' });
  expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
  expect(await svc('spaces', 'export', 'house', 'house.ndjson')).toEqual({
    code: 65,
    stdout: '',
    stderr: 'svc: house.ndjson exists already\n  Choose another name, or replace it with -f\n',
  });
  expect((await svc('spaces', 'export', 'house', 'house.ndjson', '-f')).code).toBe(0);
  const text = await readFile(join(folder, 'house.ndjson'), 'utf8');
  const original = linesOf(text);
  expect(original.at(-1)).toEqual({ end: { memories: 4, chunks: 0 } });
  expect(original.map(({ memory }) => (memory?.metadata as { filename?: string })?.filename).filter(Boolean)).toEqual([
    'boiler.txt',
    'mark.txt',
    'bytes.bin',
    'large.txt',
  ]);
  const first = await svc('spaces', 'import', 'house.ndjson', '--name', 'attic', '-o', 'json');
  expect(first).toMatchObject({ code: 0, stderr: 'Memories: 4 stored (2.8 MB)\n' });
  expect(JSON.parse(first.stdout)).toMatchObject({ name: 'attic', labels: { a: '1' } });
  expect(byPath(await exported('attic'))).toEqual(byPath(original));
  const again = await svc('spaces', 'import', 'house.ndjson', '--name', 'attic');
  expect(again.stderr).toBe(
    'The space attic exists already: it gets the memories that it lacks.\nMemories: 4 there already (2.8 MB)\n',
  );
});

test('a deleted space comes back under its ids, from stdin too', async () => {
  const before = await json('spaces', 'create', 'gone', '--embedder', other);
  await svc('memories', 'add', 'gone', 'house/boiler.txt');
  const ids = (await json('memories', 'list', 'gone')).map(({ memoryId }: { memoryId: string }) => memoryId);
  const { stdout } = await svc('spaces', 'export', 'gone', '-');
  await svc('spaces', 'delete', 'gone', '-f');
  expect(await cli(['spaces', 'import', '-'], { env, cwd: folder, stdin: stdout })).toMatchObject({ code: 0 });
  expect(await json('spaces', 'get', 'gone')).toMatchObject({ spaceId: before.spaceId, name: 'gone' });
  expect((await json('memories', 'list', 'gone')).map(({ memoryId }: { memoryId: string }) => memoryId)).toEqual(ids);
});

test('a copy is embedded by the requested embedder; an export with vectors shows it', async () => {
  expect((await svc('spaces', 'copy', 'gone', 'house')).code).toBe(0);
  expect((await svc('spaces', 'copy', 'gone', 'gone')).code).toBe(64);
  const copied = await svc(
    'spaces',
    'copy',
    'gone',
    'copied',
    '--embedder',
    (await json('spaces', 'get', 'house')).spaceEmbedders[0].embedderId,
    '-o',
    'json',
  );
  expect(copied).toMatchObject({ code: 0, stderr: 'Memories: 1 stored (49 B)\n' });
  await expect
    .poll(async () => (await json('memories', 'list', 'copied', '--status', 'COMPLETED')).length, { timeout: 30_000 })
    .toBe(1);
  const { stdout } = await svc('spaces', 'export', 'copied', '-', '--vectors');
  const chunks = linesOf(stdout).flatMap(({ chunk }) => chunk ?? []);
  expect(chunks[0]?.vectors[0]?.values).toHaveLength(512);
  expect(await cli(['spaces', 'import', '-', '--name', 'with-vectors'], { env, stdin: stdout })).toMatchObject({
    code: 0,
  });
  expect(await svc('spaces', 'copy', 'gone', 'copied', '--embedder', other)).toMatchObject({ code: 64 });
});

test('a malformed line, a truncated file and a file of another format are refused with what to do', async () => {
  const lines = (await readFile(join(folder, 'house.ndjson'), 'utf8')).split('\n');
  const load = async (text: string) => {
    await writeFile(join(folder, 'bad.ndjson'), text);
    return svc('spaces', 'import', 'bad.ndjson', '--name', 'bad');
  };
  const broken = await load([...lines.slice(0, 2), '{"memory":', ...lines.slice(3)].join('\n'));
  expect(broken.code).toBe(65);
  expect(broken.stderr).toContain('Memories: 1 stored');
  expect(broken.stderr).toContain('svc: Line 3 of bad.ndjson is not JSON\n');
  const [space = '', memory = ''] = lines;
  const rounded = await load([space, memory.replace('"metadata":{', '"metadata":{"sum":9007199254740993,')].join('\n'));
  expect(rounded.code).toBe(65);
  expect(rounded.stderr).toContain('No memory is stored yet\n');
  expect(rounded.stderr).toContain(
    'svc: Line 2 of bad.ndjson has fields that cannot be used\n  metadata.sum: must not be an integer beyond 2^53, which would be rounded; give a string\n',
  );
  const twice = await load([space, memory.replace('"metadata":{', '"metadata":{"a":1,"a":2,')].join('\n'));
  expect(twice.stderr).toContain(
    'svc: Line 2 of bad.ndjson cannot be used\n  an object names a member twice, at column ',
  );
  const cut = await load(lines.slice(0, 3).join('\n'));
  expect(cut.code).toBe(65);
  expect(cut.stderr).toContain(
    'svc: bad.ndjson is not a complete export\n  it stops after 2 memories, without the last line of an export\n',
  );
  // No repeat makes the file whole.
  expect(cut.stderr).not.toContain('Run the same command again');
  const wrong = await load('{"memory":{"memoryId":7},"originalContent":"x"}');
  expect(wrong).toMatchObject({ code: 65, stdout: '' });
  expect(wrong.stderr).toContain('Line 1 of bad.ndjson');
  expect((await load('')).stderr).toContain('svc: bad.ndjson is not an export of a space\n  it is empty\n');
  expect((await svc('spaces', 'import', 'missing.ndjson')).code).toBe(66);
  const unwritable = await svc('spaces', 'export', 'house', 'missing/x.ndjson');
  expect(unwritable.code).toBe(74);
  expect(unwritable.stderr).toContain('svc: Cannot write missing/x.ndjson');
});

test('a terminal shows a progress bar, or lines where nothing may be redrawn; Ctrl-C ends with counts', async () => {
  let clock = 0;
  const now = (): number => (clock += 3000);
  const onTerminal = (args: readonly string[], more: object = {}) =>
    cli(['spaces', ...args], { env, cwd: folder, terminal: true, columns: 120, now, ...more });
  const bar =
    /[━╸─]{20} \d+ % {2}\d\/\d memories {2}[\d.]+ k?M?B of 2\.8 MB {2}[\d.]+ k?M?B\/s(?: {2}[\d.]+ \w+ left)?/;
  const exported = await onTerminal(['export', 'house', 'bar.ndjson']);
  expect(exported.stderr).toMatch(bar);
  expect(exported.stderr.split('\r\u001b[K').at(-1)).toMatch(/^Exported to bar\.ndjson: \d memories \(2\.8 MB\)\n$/);
  const plain = await onTerminal(['export', 'house', 'plain.ndjson', '--plain']);
  expect(plain.stderr).toMatch(new RegExp(`^${bar.source}\\n`));
  expect(plain.stderr).not.toContain('\u001b');
  const imported = await onTerminal(['import', 'bar.ndjson', '--name', 'barred']);
  expect(imported.stderr).toMatch(/[━╸─]{20} \d+ % {2}\d memor(y|ies) {2}/);
  expect((await onTerminal(['copy', 'house', 'barred copy'])).stderr).toMatch(bar);
  const stop = new AbortController();
  const onOutput = (text: string): void => {
    if (text.split('\n').length > 2) stop.abort(new Interrupted('SIGINT'));
  };
  const cut = await cli(['spaces', 'export', 'house', '-'], { env, signal: stop.signal, onOutput });
  expect(cut.code).toBe(130);
  expect(cut.stderr).toMatch(
    /^Interrupted after \d memor(y|ies) \([\d.]+ M?B\)\nNot exported: what is on stdout is not complete\n$/,
  );
  const early = await cli(['spaces', 'import', 'bar.ndjson'], { env, cwd: folder, signal: stop.signal });
  expect(early).toMatchObject({ code: 130, stderr: 'Interrupted before any memory was stored\n' });
});

test('a changed file replaces its earlier version once it can be found', async () => {
  await json('spaces', 'create', 'replaced', '--embedder', other);
  await mkdir(join(folder, "it's"));
  const write = (name: string, text: string) => writeFile(join(folder, `it's/${name}`), text);
  const paths = async () =>
    (await json('memories', 'list', 'replaced')).map(({ metadata }: { metadata: { path: string } }) => metadata.path);
  await write('a.txt', 'The boiler is old');
  await write('b\n🧭\\.txt', 'one');
  await svc('memories', 'add', 'replaced', "it's", '--wait');
  await write('a.txt', 'The boiler is new');
  await write('b\n🧭\\.txt', 'two');
  const tried = await svc('memories', 'add', 'replaced', "it's/a.txt", '--dry-run');
  expect(tried.stdout).toMatch(/^would upload {2}.*\nwould delete {2}\S+ {2}it's\/a\.txt\n$/);
  expect(tried.stderr).toBe('1 would be uploaded, 1 would be replaced\n');
  const kept = await svc('memories', 'add', 'replaced', "it's/a.txt", '--keep-old', '--wait');
  expect(kept.stderr).toBe('1 uploaded\n');
  expect(await paths()).toHaveLength(3);
  // Without --wait too: what takes the place of something is waited for.
  const { code, stderr } = await svc('memories', 'add', 'replaced', "it's");
  expect({ code, stderr }).toEqual({ code: 0, stderr: '1 uploaded, 1 unchanged, 2 replaced\n' });
  expect((await paths()).sort()).toEqual(["it's/a.txt", "it's/b\n🧭\\.txt"]);
  const found = await svc('retrieve', 'the boiler is', '--space', 'replaced', '-o', 'ndjson');
  expect(found.stdout).toContain('The boiler is new');
  expect(found.stdout).not.toContain('The boiler is old');
  await write('a.txt', '%PDF-broken');
  const failed = await svc('memories', 'add', 'replaced', "it's/a.txt", '--content-type', 'application/pdf', '--wait');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain("kept  it's/a.txt: the earlier version");
  expect(await paths()).toHaveLength(3);
  // A copy follows the files too.
  await svc('spaces', 'copy', 'replaced', 'replaced copy');
  await write('a.txt', 'The boiler is newer');
  const copied = await svc('memories', 'add', 'replaced copy', "it's");
  expect(copied.stderr).toBe('1 uploaded, 1 unchanged, 1 replaced\n');
  expect(await json('memories', 'list', 'replaced copy')).toHaveLength(2);
});

test('a killed upload resumes without duplicates', async () => {
  await json('spaces', 'create', 'killed', '--embedder', other);
  await mkdir(join(folder, 'many'));
  for (let at = 0; at < 200; at += 1) await writeFile(join(folder, `many/${at}.txt`), `note ${at}`);
  const args = ['memories', 'add', 'killed', 'many', '--parallel', '1'];
  const [program, ...words] = SVC;
  const child = spawn(program, [...words, ...args], { env: { ...process.env, ...env }, cwd: folder });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const stored = (await json('memories', 'list', 'killed', '--all')).length;
  expect(stored).toBeGreaterThan(0);
  const { code, stderr } = await svc(...args);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^(\d+ uploaded, )?\d+ unchanged\n$/);
  expect(await json('memories', 'list', 'killed', '--all')).toHaveLength(200);
});
