import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runSvc, startServer, type TestServer } from '../support/server.ts';
import { useTerminals } from '../support/terminal.ts';
import { steady } from './retrieve.fixture.ts';

const open = useTerminals();
let database: TestDatabase;
let server: TestServer;
let env: Record<string, string>;
let root: string;

/** Characters outside the basic plane in front of what is looked for: offsets count code points. */
const HOUSE = [
  ...Array.from(
    { length: 12 },
    (_, at) => `Paragraph ${at + 1} 🏠🏠 tells of the roof, the windows and the garden fence.`,
  ),
  'The boiler was serviced on 3 March and its pump gasket was replaced.',
  'The last paragraph tells of the front door.',
].join('\n\n');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-terminal-retrieve-'));
  const folder = join(root, 'notes');
  await mkdir(folder);
  await writeFile(join(folder, 'house.txt'), HOUSE);
  await writeFile(join(folder, 'ボイラー.txt'), 'ボイラーは三月三日に点検されました。The boiler pressure is 1.5 bar.');
  database = await createTestDatabase();
  server = await startServer({ databaseFlags: database.serverFlags });
  env = { SVC_SERVER: server.grpc, SVC_API_KEY: await server.init() };
  const embedder = ['--provider', 'BUILTIN', '--name', 'Mine', '--model', 'lexical-v1', '--dimensions', '512'];
  const { embedderId } = JSON.parse(await svc('embedders', 'create', ...embedder, '-o', 'json'));
  await svc('spaces', 'create', 'house', '--embedder', embedderId);
  await svc('memories', 'add', 'house', folder, '--wait', '--chunking', 'recursive', '--chunk-size', '90');
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
  await rm(root, { recursive: true });
});

async function svc(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runSvc(args, { env });
  expect(code, stderr).toBe(0);
  return stdout;
}

const QUERY = ['retrieve', 'when was the boiler pump gasket replaced?', '--space', 'house', '--max-results', '2'];

test('results of a real server', async () => {
  const terminal = open(QUERY, { env });
  expect(await terminal.ended()).toBe(0);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ━━━━━━━━── 0.800  notes/house.txt:25  just now
        The boiler was serviced on 3 March and its pump gasket was replaced.

    [2] ━╸──────── 0.160  notes/ボイラー.txt  just now
        ボイラーは三月三日に点検されました。The boiler pressure is 1.5 bar.

    2 results · vector search · 0.0 s
    "
  `);
});

test('a memory opens at the position of the chunk', async () => {
  const terminal = open([...QUERY, '-i'], { env, rows: 12 });
  await terminal.shows('> [1]');
  terminal.type('\r');
  await terminal.shows(/^▌ The boiler was serviced/m);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ━━━━━━━━── 0.800  notes/house.txt:25  just now
    ────────────────────────────────────────────────────────────────────────────────

      Paragraph 11 🏠🏠 tells of the roof, the windows and the garden fence.

      Paragraph 12 🏠🏠 tells of the roof, the windows and the garden fence.

    ▌ The boiler was serviced on 3 March and its pump gasket was replaced.

      The last paragraph tells of the front door.
    ↑↓ scroll  Esc back  c copy id  q leave  ? keys                      20–27 of 27
    "
  `);
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
});
