import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryStore, startMemoryStore } from '../support/client/memory-store.fixture.ts';
import { BINARY } from '../support/command.ts';
import { NO_CONFIG } from '../support/server.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
/** Of a user who owns nothing. */
const NOBODY = 65_534;
let folder: string;
let store: MemoryStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-terminal-input-'));
  await chmod(folder, 0o755);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  store = await startMemoryStore({ maxContentMb: 1 });
});
afterAll(async () => {
  store.server.close();
  await rm(folder, { recursive: true });
});

/** The real binary, because it is the process that has to hear signals and must not grow. */
function svc(args: readonly string[], { stdio = ['ignore', 'pipe', 'pipe'], ...more }: SpawnOptions = {}) {
  const env = {
    PATH: process.env.PATH,
    XDG_CONFIG_HOME: NO_CONFIG,
    SVC_SERVER: `http://127.0.0.1:${store.server.port}`,
    SVC_API_KEY: 'svc_test',
  };
  const child: ChildProcess = spawn(process.execPath, [BINARY, ...args], { cwd: folder, env, stdio, ...more });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { child, ended };
}

test('a device and a pipe are refused with what to do instead', async () => {
  const zero = await svc(['memories', 'add', SPACE, '/dev/zero']).ended;
  expect(zero).toMatchObject({ code: 66, stdout: '' });
  expect(zero.stderr).toBe('svc: Cannot read /dev/zero\n  it is a device, not a file; - reads what is piped in\n');
  const pipe = await svc(['memories', 'add', SPACE, 'pipe']).ended;
  expect(pipe).toMatchObject({ code: 66, stderr: expect.stringContaining('it is a pipe, not a file') });
});

test('stdin is read up to the limit of the server', async () => {
  const zero = await open('/dev/zero');
  const { code, stderr } = await svc(['memories', 'add', SPACE, '-'], { stdio: [zero.fd, 'pipe', 'pipe'] }).ended;
  await zero.close();
  expect({ code, stderr }).toEqual({
    code: 65,
    stderr: 'svc: stdin is too large\n  the server takes at most 1 MiB\n',
  });
});

test('endless questions and exports are refused', async () => {
  const asked = await svc(['eval', SPACE, '/dev/zero']).ended;
  expect(asked).toMatchObject({ code: 65, stderr: expect.stringContaining('Line 1 of /dev/zero is not JSON') });
  const imported = await svc(['spaces', 'import', '/dev/zero']).ended;
  expect(imported).toMatchObject({ code: 65, stderr: expect.stringContaining('it contains bytes that are not text') });
});

test.each([
  ['an export', ['spaces', 'import', 'pipe']],
  ['questions', ['eval', SPACE, 'pipe']],
  ['a setting', ['retrieve', 'x', '--space', SPACE, '--post-processor-config', '@pipe']],
])('%s from an open pipe without a writer is waited for until Ctrl-C', async (_name, args) => {
  const { child, ended } = svc(args);
  // Opening the other end succeeds when the pipe is being read, which is the moment to interrupt.
  const writer = await open(join(folder, 'pipe'), 'w');
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  await writer.close();
});

test('stdin without input is waited for until Ctrl-C', async () => {
  const { child, ended } = svc(['memories', 'add', SPACE, '-', '--debug'], { stdio: ['pipe', 'pipe', 'pipe'] });
  // It has connected by then, and reads next.
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

/** Root reads everything: as root the user is another one, who must be able to read the program. */
const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const canRun = spawnSync(process.execPath, [BINARY, '--version'], USER).status === 0;

test.skipIf(!canRun)('unreadable files are named, and the others are stored', async () => {
  await mkdir(join(folder, 'notes/closed'), { recursive: true });
  await writeFile(join(folder, 'notes/open.txt'), 'open');
  await writeFile(join(folder, 'notes/secret.txt'), 'secret', { mode: 0 });
  await chmod(join(folder, 'notes/closed'), 0);
  const { code, stderr, stdout } = await svc(['memories', 'add', SPACE, 'notes'], USER).ended;
  await chmod(join(folder, 'notes/closed'), 0o700);
  expect(code).toBe(66);
  expect(stdout).toMatch(/^uploaded {2}\S+ {2}notes\/open\.txt\n$/);
  expect(stderr).toContain('failed  notes/closed: Cannot read it: this user may not read it\n');
  expect(stderr).toContain('failed  notes/secret.txt: Cannot read it: this user may not read it\n');
  expect(stderr).toContain('1 uploaded, 2 failed\n');
});
