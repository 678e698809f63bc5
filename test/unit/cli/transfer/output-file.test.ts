import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandError } from '../../../../src/cli/kit/errors.ts';
import { openOutput } from '../../../../src/cli/transfer/output-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-output-file-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function* lines(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'two\n';
}
const WRITTEN = 'one\ntwo\n';

async function write(file: string, { force = true, signal = new AbortController().signal, texts = lines() } = {}) {
  const io = { stdout: { write: async () => {} }, cwd: folder, signal };
  await (await openOutput(io, file, { force }))(texts);
}

const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a file', () => {
  test('that is new has mode 0600', async () => {
    await write('new', { force: false });
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe(WRITTEN);
    expect(await modeOf('new')).toBe(0o600);
    expect(await readdir(folder)).toEqual(['new']);
  });

  test.each([0o600, 0o640, 0o664])('that is replaced keeps its mode: %i', async (mode) => {
    await writeFile(join(folder, 'old'), 'before');
    await chmod(join(folder, 'old'), mode);
    await write('old');
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe(WRITTEN);
    expect(await modeOf('old')).toBe(mode);
  });

  test('behind a link is replaced at its target, and the link stays', async () => {
    await mkdir(join(folder, 'far'));
    await writeFile(join(folder, 'far/old'), 'before', { mode: 0o600 });
    await symlink('far/old', join(folder, 'link'));
    await write('link');
    expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'far/old'), 'utf8')).toBe(WRITTEN);
    expect([await readdir(folder), await readdir(join(folder, 'far'))]).toEqual([['far', 'link'], ['old']]);
  });

  test('is unchanged when writing fails', async () => {
    await writeFile(join(folder, 'old'), 'before');
    const texts = async function* () {
      yield 'one';
      throw new Error('the server is gone');
    };
    expect(await failure(write('old', { texts: texts() }))).toEqual(new Error('the server is gone'));
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe('before');
    expect(await readdir(folder)).toEqual(['old']);
  });
});

describe('special files', () => {
  test('a device is written to and not replaced', async () => {
    const before = await lstat('/dev/null');
    await symlink('/dev/null', join(folder, 'device'));
    for (const force of [true, false]) await write('device', { force });
    expect((await lstat(join(folder, 'device'))).isSymbolicLink()).toBe(true);
    expect((await lstat('/dev/null')).rdev).toBe(before.rdev);
  });

  test('a full device is a failure', async () => {
    const error = await failure(write('/dev/full'));
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({ message: 'Cannot write /dev/full', details: 'its disk is full', exit: 74 });
  });

  test('a named pipe waits for its reader, which gets everything, also beyond the pipe buffer', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const long = 'x'.repeat(300_000);
    const texts = async function* () {
      yield* lines();
      yield long;
    };
    const writing = write('pipe', { texts: texts() });
    expect(await text(createReadStream(pipe))).toBe(`${WRITTEN}${long}`);
    await writing;
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  test('a signal ends the wait for the reader of a named pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const stop = new AbortController();
    const writing = failure(write('pipe', { signal: stop.signal }));
    stop.abort();
    expect(await writing).toBeInstanceOf(CommandError);
  });

  test('a signal ends the wait for a reader that does not read', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const stop = new AbortController();
    const reader = spawn('sh', ['-c', 'exec 3<"$1"; exec sleep 600', 'sh', pipe], { stdio: 'ignore' });
    const texts = async function* () {
      // Asked for once the pipe is open.
      setImmediate(() => stop.abort());
      for (;;) yield 'x'.repeat(100_000);
    };
    expect(await failure(write('pipe', { texts: texts(), signal: stop.signal }))).toBeInstanceOf(CommandError);
    reader.kill();
    await once(reader, 'close');
  });

  test('a closed reader is a failure', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const texts = async function* () {
      for (;;) {
        yield 'x'.repeat(100_000);
      }
    };
    const writing = failure(write('pipe', { texts: texts() }));
    spawn('head', ['-c', '10', pipe], { stdio: 'ignore' });
    expect(await writing).toMatchObject({ message: 'Cannot write pipe', exit: 74 });
  });

  test('a folder, a socket and a dangling link are refused before any call', async () => {
    await mkdir(join(folder, 'folder'));
    await symlink('nothing', join(folder, 'nowhere'));
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    const io = { stdout: { write: async () => {} }, cwd: folder, signal: new AbortController().signal };
    const refused = async (name: string) =>
      expect(await failure(openOutput(io, name, { force: true })), name).toMatchObject({ exit: 74 });
    for (const name of ['folder', 'nowhere', 'socket']) await refused(name);
    expect((await readdir(folder)).sort()).toEqual(['folder', 'nowhere', 'socket']);
    server.close();
  });
});
