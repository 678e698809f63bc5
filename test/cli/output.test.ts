import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../support/client/host.fixture.ts';
import { SVC_IN_SHELL } from '../support/command.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Blocks of 512 bytes that a file may have: the write across this limit is cut short, the one after it fails. */
const BLOCKS = 128;
const LIMIT = BLOCKS * 512;
const FULL = 'its disk is full';
const INCOMPLETE = 'What was written there is not complete';

let database: TestDatabase;
let server: TestServer;
let folder: string;
let env: Record<string, string>;
let memory: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-output-'));
  await writeFile(join(folder, 'large.txt'), 'A long line about the roof. '.repeat(10_000));
  database = await createTestDatabase();
  server = await startServer({ databaseFlags: database.serverFlags, flags: ['--rate-limit-max', '0'] });
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
  await rm(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A line of the shell, in which `svc` is the real binary; stdout is what its redirections leave of it. */
async function shell(line: string, more: Record<string, string> = {}): Promise<Ended> {
  const child = spawn('sh', ['-c', `svc() { ${SVC_IN_SHELL} "$@"; }\n${line}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SVC_SERVER: server.grpc, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

const data = async (...args: string[]) => JSON.parse((await cli([...args, '-o', 'json'], { env, cwd: folder })).stdout);

describe('an API key that could not be printed', () => {
  test('of init is the only one: stderr names its id and what to do', async () => {
    const { code, stdout, stderr } = await shell('svc init > /dev/full');
    expect({ code, stdout }).toEqual({ code: 74, stdout: '' });
    expect(stderr).toMatch(/^The root key [0-9a-f-]{36} was made, but could not be written, and is lost\./);
    expect(stderr).toContain(`svc: Cannot write to stdout\n  ${FULL}\n  ${INCOMPLETE}\n`);
    expect(stderr).not.toContain('svc_');
  });

  test('of init --save is in the profile, and stderr says so', async () => {
    await database.drop();
    await server.end();
    database = await createTestDatabase();
    server = await startServer({ databaseFlags: database.serverFlags, flags: ['--rate-limit-max', '0'] });
    const { code, stderr } = await shell('svc init --save > /dev/full');
    expect(code).toBe(74);
    expect(stderr).toMatch(/^Saved the key and the server .* in profile default of .*config\.json\.$/m);
    const { profiles } = JSON.parse(await readFile(join(folder, '.config/svc/config.json'), 'utf8'));
    env = { SVC_SERVER: server.grpc, SVC_API_KEY: profiles.default.apiKey };
    expect(await data('apikeys', 'list')).toHaveLength(1);
  });

  test.each([[''], ['-o json']])('of apikeys create %s can be deleted', async (form) => {
    const { code, stderr } = await shell(`svc apikeys create ${form} > /dev/full`);
    expect(code).toBe(74);
    const [, id = ''] =
      /^Key (\S+) was made, but could not be written\. Delete it: svc apikeys delete \1$/m.exec(stderr) ?? [];
    expect((await cli(['apikeys', 'delete', id, '-f'], { env })).code).toBe(0);
    expect(await data('apikeys', 'list')).toHaveLength(1);
  });

  test('because the pipe was closed can be deleted too', async () => {
    const { stderr } = await shell('{ svc apikeys create; echo "code $?" >&2; } | :');
    expect(stderr).toMatch(
      /^Key \S+ was made, but could not be written\. Delete it: svc apikeys delete \S+\ncode 0\n$/,
    );
  });
});

describe('a stdout that cannot be written', () => {
  beforeAll(async () => {
    await data('spaces', 'create', 'papers');
    await cli(['memories', 'add', 'papers', 'large.txt', '--wait'], { env, cwd: folder });
    [{ memoryId: memory }] = await data('memories', 'list', 'papers');
  });

  test.each([
    ['svc --version'],
    ['svc --help'],
    ['svc serve --embedded --print-config'],
    ['svc spaces list'],
    ['svc spaces get papers --plain'],
    ['svc retrieve roof'],
    ['svc retrieve roof -o table'],
    ['svc ping --stream -c 2'],
    ['svc system doctor'],
    ['svc memories add papers large.txt'],
    ['svc memories content MEMORY'],
    ['svc spaces export papers -'],
  ])('fails %s with a sentence', async (line) => {
    const { code, stderr } = await shell(`${line.replace('MEMORY', memory)} > /dev/full`);
    expect(code, stderr).toBe(74);
    expect(stderr).toContain(`svc: Cannot write to stdout\n  ${FULL}\n  ${INCOMPLETE}\n`);
  });

  test.each([['spaces list -o json'], ['retrieve roof -o ndjson'], ['ping --stream -c 2 -o ndjson']])(
    'fails %s with an error in JSON',
    async (line) => {
      const { code, stderr } = await shell(`svc ${line} > /dev/full`);
      expect(code).toBe(74);
      const error = { code: 'OUTPUT_ERROR', message: 'Cannot write to stdout', details: FULL };
      expect(JSON.parse(stderr)).toEqual({ error });
    },
  );
});

describe('a file on a full disk', () => {
  test.each([['svc memories content MEMORY'], ['svc spaces export papers -']])(
    '%s fails at the short write',
    async (line) => {
      const { code, stderr } = await shell(`ulimit -f ${BLOCKS}; ${line.replace('MEMORY', memory)} > out`);
      expect((await stat(join(folder, 'out'))).size).toBe(LIMIT);
      expect(code, stderr).toBe(74);
      expect(stderr).toContain(
        'svc: Cannot write to stdout\n  it has reached the largest size that a file may have here\n',
      );
    },
  );

  test('an export to a file leaves nothing under its name, nor beside it', async () => {
    const { code, stderr } = await shell(`ulimit -f ${BLOCKS}; svc spaces export papers papers.ndjson`);
    expect(code).toBe(74);
    expect(stderr).toContain('svc: Cannot write papers.ndjson\n  it has reached the largest size');
    expect((await readdir(folder)).filter((name) => name.startsWith('papers'))).toEqual([]);
    expect((await cli(['spaces', 'export', 'papers', 'no/such/folder'], { env, cwd: folder })).code).toBe(74);
  });

  test('the config file stays as it was, and no lock is left behind', async () => {
    const path = join(folder, '.config/svc/config.json');
    const before = await readFile(path, 'utf8');
    const { code, stderr } = await shell('ulimit -f 0; svc profile create other --server localhost:1');
    expect({ code, stderr }).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('Cannot write the config file'),
    });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await readdir(join(folder, '.config/svc'))).toEqual(['config.json']);
  });
});

describe('an unwritable stderr', () => {
  test.each([
    [64, 'svc spaces lst 2>&-'],
    [66, 'svc spaces get nowhere 2> /dev/full'],
    [0, 'svc memories add papers large.txt 2> /dev/full'],
    [74, 'svc help > /dev/full 2> /dev/full'],
  ])('does not change the exit code %i of: %s', async (code, line) => {
    expect((await shell(line)).code).toBe(code);
  });

  test('closed by its reader does not change the exit code either', async () => {
    const { stdout } = await shell(
      '{ svc spaces get nowhere; echo "code $?"; } 2>&1 >out | :; svc spaces list | :; cat out',
    );
    expect(stdout).toBe('code 66\n');
  });
});

test('a closed pipe ends the command quietly', async () => {
  const { stderr } = await shell('{ svc spaces export papers -; echo "code $?" >&2; } | head -c 1000 > /dev/null');
  expect(stderr.replace(/^Wr.*\n/gm, '')).toMatch(/code 0\n$/);
});

test('a screen that is asked for in a pipe is drawn once, in color, for a pager', async () => {
  const { code, stdout, stderr } = await shell('svc retrieve roof -o tui | cat');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('\u001b[1m[1] ');
  expect(stdout).toContain('large.txt');
  // Nothing but colors and weights: what moves a cursor or erases ends in another letter.
  const sequences = stdout.split('\u001b').slice(1);
  for (const sequence of sequences) expect(sequence).toMatch(/^\[[0-9;]*m/);
  expect(stdout).not.toContain('\r');
  expect((await shell('svc retrieve roof -o tui --no-color | cat')).stdout).not.toContain('\u001b');
  expect((await shell('svc retrieve roof -o table | cat', { FORCE_COLOR: '1' })).stdout).toContain('\u001b[1m');
});
