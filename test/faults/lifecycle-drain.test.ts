import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { ENGINE_FLAGS } from '../support/engine-flags.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { raw } from '../support/raw-rest.ts';
import { NO_CONFIG, startServer, type TestServer } from '../support/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BINARY = join(ROOT, 'bin/svc.js');
let database: TestDatabase;
let server: TestServer | undefined;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await server?.end('SIGKILL');
  await database.drop();
});

interface Running {
  server: TestServer;
  key: string;
  embedderId: string;
}

async function running(flags: readonly string[] = []): Promise<Running> {
  server = await startServer({ databaseFlags: database.serverFlags, flags });
  const key = await server.init();
  const body = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 32 };
  const { embedderId } = (await raw(server, 'POST /v1/embedders', { key, body })).json;
  return { server, key, embedderId };
}

/** A stream of probes over REST: resolves once the first result is there; `rest` reads the others. */
async function openPing({ server, key, embedderId }: Running, count: number, intervalMs: number) {
  const response = await fetch(`${server.rest}/v1/ping:stream`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ targetId: embedderId, count, intervalMs }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value);
  return {
    async rest(): Promise<string> {
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value);
      return text;
    },
    /** What has come so far. */
    received: () => text,
  };
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('waited for 20 s in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('SIGTERM: streams finish, reads are served, writes are not, exit 0', async () => {
  const run = await running();
  const { server, key, embedderId } = run;
  const grpc = grpcWire(server.grpc);
  const stream = await openPing(run, 20, 200);
  const grpcStream = grpc.call('ping', { targetId: embedderId, count: 20, intervalMs: 200 }, { key });
  const ended = server.end('SIGTERM');
  await until(async () => (await raw(server, '/readyz')).status === 503);
  expect((await raw(server, '/readyz')).json).toEqual({ state: 'DRAINING', started: true });
  for (const path of ['/health', '/livez', '/startupz']) {
    const { status, json } = await raw(server, path);
    expect([path, status, json]).toEqual([path, 200, { state: 'DRAINING', started: true }]);
  }
  const read = await raw(server, '/v1/spaces', { key });
  expect(read.status).toBe(200);
  expect(read.headers.get('connection')).toBe('close');
  const write = await raw(server, 'POST /v1/spaces', { key, body: { name: 'late', embedderId } });
  expect([write.status, write.error.code]).toEqual([503, 'UNAVAILABLE']);
  const once = await raw(server, 'POST /v1/ping:once', { key, body: { targetId: embedderId } });
  expect(once.status).toBe(200);
  const text = await stream.rest();
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/^\{"summary":/);
  const answer = await grpcStream;
  expect(answer).toMatchObject({ ok: true });
  expect(answer.events.at(-1)).toHaveProperty('summary');
  grpc.close();
  expect(await ended).toBe(0);
});

test('a second signal exits at once', async () => {
  const run = await running();
  await openPing(run, 100, 5000);
  const ended = run.server.end('SIGTERM');
  await until(async () => (await raw(run.server, '/readyz')).status === 503);
  run.server.process.kill('SIGTERM');
  expect(await ended).toBe(143);
});

test('SIGHUP, however often it comes: streams finish, exit 0', async () => {
  const run = await running();
  const stream = await openPing(run, 10, 200);
  const ended = run.server.end('SIGHUP');
  await until(async () => (await raw(run.server, '/readyz')).status === 503);
  run.server.process.kill('SIGHUP');
  expect((await stream.rest()).trimEnd().split('\n').at(-1)).toMatch(/^\{"summary":/);
  expect(await ended).toBe(0);
});

/** A program with a pseudo-terminal: who kills it closes the terminal. */
const TERMINAL = `
  import { spawn } from '@lydell/node-pty';
  const [file, ...args] = process.argv.slice(1);
  spawn(file, args, { cols: 200 }).onData((data) => process.stdout.write(data));`;

test.each([
  ['before its banner is written', / database ready /],
  ['after it', / is ready\r\n/],
])('closing its terminal drains the server as SIGTERM does: %s', async (_when, moment) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-closed-terminal-'));
  const outcome = join(directory, 'outcome');
  // The first shell ends with the terminal, as that of a person; the second one stays to tell how the server ended.
  const teller = ['sh', '-c', `trap : HUP; "$@"; echo "ended with $?" > '${outcome}'`, 'sh'];
  const shell = ['sh', '-c', '"$@"; exit', 'sh', ...teller];
  const svc = [process.execPath, ...ENGINE_FLAGS, BINARY];
  const flags = [...database.serverFlags, '--host', '127.0.0.1', '--rest-port', '0', '--grpc-port', '0'];
  const terminal = spawn(
    process.execPath,
    ['--input-type=module', '-e', TERMINAL, ...shell, ...svc, 'serve', ...flags],
    {
      cwd: ROOT,
      env: { ...process.env, XDG_CONFIG_HOME: NO_CONFIG, TERM: 'dumb' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    await until(() => moment.test(shown));
    terminal.kill('SIGKILL');
    const told = () => readFile(outcome, 'utf8').catch(() => '');
    await until(async () => (await told()) !== '');
    expect(await told()).toBe('ended with 0\n');
  } finally {
    terminal.kill('SIGKILL');
    await rm(directory, { recursive: true });
  }
});

test('calls that outlast the grace period are aborted', async () => {
  const run = await running(['--shutdown-grace-s', '1']);
  const stream = await openPing(run, 100, 5000);
  const cut = stream.rest().catch((error: unknown) => error);
  expect(await run.server.end('SIGTERM')).toBe(0);
  expect(await cut).toBeInstanceOf(Error);
  expect(stream.received()).toMatch(/^(\{"result":.*\}\n)+$/);
});

test('after SIGKILL, and after a SIGINT that exits with 0, the database holds every acknowledged write', async () => {
  const first = await running();
  await first.server.end('SIGKILL');
  const second = await startServer({ databaseFlags: database.serverFlags });
  server = second;
  const { status, json } = await raw(second, `/v1/embedders/${first.embedderId}`, { key: first.key });
  expect([status, json.dimensionality]).toEqual([200, 32]);
  const body = { displayName: 'f', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  const { embedderId } = (await raw(second, 'POST /v1/embedders', { key: first.key, body })).json;
  expect(await second.end('SIGINT')).toBe(0);
  server = await startServer({ databaseFlags: database.serverFlags });
  expect((await raw(server, `/v1/embedders/${embedderId}`, { key: first.key })).status).toBe(200);
});
