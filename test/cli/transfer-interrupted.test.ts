import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { cli } from '../support/client/host.fixture.ts';
import { useOwnUser } from '../support/server.fixture.ts';
import { useTerminals } from '../support/terminal.ts';
import type { Json } from '../support/wire.ts';

/** Four batches of 50, each a call of half a megabyte, two of them at once. */
const MEMORIES = 200;
const IN_TWO_BATCHES = 100;
const BYTES = 10_000;
const CTRL_C = '\u0003';
const open = useTerminals();
const user = useOwnUser();
let folder: string;
const wires: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-interrupted-'));
  await mkdir(join(folder, 'notes'));
  for (let at = 0; at < MEMORIES; at += 1)
    await writeFile(join(folder, `notes/${at}.txt`), String(at).padEnd(BYTES, ' note'));
  const { stage } = user;
  const kind = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  const { embedderId } = await stage.ok('createEmbedder', { displayName: 'Small', ...kind });
  await stage.space({ name: 'notes', embedderId });
  await ok('memories', 'add', 'notes', 'notes', '--chunking', 'none');
  await ok('spaces', 'export', 'notes', 'notes.ndjson');
});
afterEach(() => {
  for (const wire of wires.splice(0)) wire.close();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, { env: user.env, cwd: folder });
  expect({ code, stderr }, args.join(' ')).toMatchObject({ code: 0 });
  return stdout;
}

async function paths(name: string): Promise<string[]> {
  const { spaces } = await user.stage.ok('listSpaces', { nameFilter: name });
  const { memories } = await user.stage.ok('listMemories', { spaceId: spaces[0].spaceId, maxResults: 500 });
  return memories.map(({ metadata }: Json) => metadata.path).sort();
}

/** A wire to the server that goes dead once the client has sent so many bytes: what is under way then never ends. */
async function dyingWire(bytes: number): Promise<string> {
  const target = new URL(user.env.SVC_SERVER);
  const wire = createServer((client) => {
    const onward = connect(Number(target.port), target.hostname);
    let left = bytes;
    client.on('data', (data) => {
      left -= data.length;
      if (left > 0) onward.write(data);
    });
    onward.pipe(client);
    for (const socket of [client, onward]) socket.on('error', () => {});
    client.on('close', () => onward.destroy());
  }).listen(0, '127.0.0.1');
  wires.push(wire);
  await new Promise((resolve) => wire.once('listening', resolve));
  return `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
}

test.each([
  ['import', ['spaces', 'import', 'notes.ndjson', '--name', 'imported'], 'imported'],
  ['copy', ['spaces', 'copy', 'notes', 'copied'], 'copied'],
])('Ctrl-C in the middle of %s: stored memories stay, and a second run finishes', async (_what, args, name) => {
  const SVC_SERVER = await dyingWire(1_200_000);
  const terminal = open(args, { cwd: folder, columns: 100, env: { ...user.env, SVC_SERVER } });
  // How many depends on how fast the batch is answered: a picture is drawn ten times a second.
  await terminal.shows(/\d+(\/200)? memor(y|ies)/);
  // The third and the fourth batch do not get through.
  await user.stage.until(async () => (await paths(name)).length === IN_TWO_BATCHES);
  terminal.type(CTRL_C);
  expect(await terminal.ended()).toBe(130);
  const [said, next, ...rest] = terminal.lines;
  const [, told] = /^Interrupted\. Memories: (\d+) stored \([\d.]+ [kM]B\); (.*)$/.exec(said ?? '') ?? [];
  expect(Number(told), said).toBeGreaterThanOrEqual(1);
  expect(said).toMatch(/; the server may also have stored what was being sent$/);
  expect(next).toBe('Run the same command again to continue; what is stored is not sent again.');
  expect(rest).toEqual([]);
  const stored = (await paths(name)).length;
  expect(stored).toBe(IN_TWO_BATCHES);

  const again = await cli(args, { env: user.env, cwd: folder });
  expect(again.code).toBe(0);
  expect(again.stderr).toContain(`The space ${name} exists already`);
  expect(again.stderr).toContain(`${MEMORIES - stored} stored`);
  expect(again.stderr).toContain(`${stored} there already`);
  expect(await paths(name)).toEqual(await paths('notes'));
});
