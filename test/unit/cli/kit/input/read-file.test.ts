import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectInput, readRegularFile } from '../../../../../src/cli/kit/input/read-file.ts';

const MIB = 1024 * 1024;
let folder: string;
const { signal } = new AbortController();
const read = (file: string | Buffer, limit = async () => 2 * MIB) =>
  readRegularFile(file, { name: 'it', limit, signal });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-read-file-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

test.each([0, 1, 65_536, MIB, 2 * MIB])('a file of %i bytes', async (length) => {
  const content = Buffer.alloc(length, 'abc');
  await writeFile(join(folder, 'whole'), content);
  expect((await read(join(folder, 'whole'))).equals(content)).toBe(true);
});

test('files below /proc, whose size is 0, are read to their end', async () => {
  expect((await read('/proc/self/status')).toString()).toMatch(/^Name:/);
});

test('a file above the limit is refused before it is read; the limit is requested only then', async () => {
  const file = join(folder, 'large');
  await writeFile(file, Buffer.alloc(2 * MIB + 1));
  await expect(read(file)).rejects.toMatchObject({ exit: 65, details: 'the server takes at most 2 MiB' });
  const unasked = (): Promise<number> => Promise.reject(new Error('asked'));
  await writeFile(file, 'small');
  expect((await read(file, unasked)).toString()).toBe('small');
});

test('an endless stream is closed at the limit', async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      given += MIB;
      yield Buffer.alloc(MIB);
    }
  }
  const options = { name: 'stdin', limit: async () => 2 * MIB, signal };
  await expect(collectInput(endless(), options)).rejects.toMatchObject({ message: 'stdin is too large', exit: 65 });
  expect(given).toBe(3 * MIB);
});

test('devices, pipes, sockets and folders are refused at once', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const socket = join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const details = async (file: string) => (await read(file).catch((error: unknown) => error)) as { details: string };
  expect(await details('/dev/zero')).toMatchObject({ exit: 66, details: expect.stringMatching(/^it is a device/) });
  expect(await details(pipe)).toMatchObject({ exit: 66, details: expect.stringMatching(/^it is a pipe/) });
  expect(await details(socket)).toMatchObject({ exit: 66, details: expect.stringMatching(/^it is a socket/) });
  expect(await details(folder)).toMatchObject({ exit: 66, details: 'it is a folder' });
  server.close();
});

test('a file that changes while it is read is read again, and refused when it keeps changing', async () => {
  const file = join(folder, 'growing');
  await writeFile(file, Buffer.alloc(MIB + 1));
  let asked = 0;
  const growing = (until: number) => async () => {
    asked += 1;
    if (asked <= until) await appendFile(file, 'more');
    return 8 * MIB;
  };
  // The limit is asked for after the first look at the file: whatever it does then happens while the file is read.
  expect((await read(file, growing(1))).length).toBe(MIB + 5);
  await expect(read(file, growing(Number.POSITIVE_INFINITY))).rejects.toMatchObject({
    exit: 66,
    details: 'it kept changing while it was read',
  });
});

test('a signal ends the reading with its reason', async () => {
  const stop = new AbortController();
  const file = join(folder, 'interrupted');
  await writeFile(file, Buffer.alloc(MIB + 1));
  const limit = async () => {
    stop.abort(new Error('stopped'));
    return 8 * MIB;
  };
  await expect(readRegularFile(file, { name: 'it', limit, signal: stop.signal })).rejects.toThrow('stopped');
});
