import { beforeAll, expect, test } from 'vitest';
import { useOwnUser } from '../support/server.fixture.ts';
import { useTerminals } from '../support/terminal.ts';
import { steady } from './retrieve.fixture.ts';

const open = useTerminals();
const user = useOwnUser();

/** Characters outside the basic plane in front of what is looked for: offsets count code points. */
const HOUSE = [
  ...Array.from(
    { length: 12 },
    (_, at) => `Paragraph ${at + 1} 🏠🏠 tells of the roof, the windows and the garden fence.`,
  ),
  'The boiler was serviced on 3 March and its pump gasket was replaced.',
  'The last paragraph tells of the front door.',
].join('\n\n');

const FILES = {
  'notes/house.txt': HOUSE,
  'notes/ボイラー.txt': 'ボイラーは三月三日に点検されました。The boiler pressure is 1.5 bar.',
};

beforeAll(async () => {
  const { stage } = user;
  const { embedderId } = await stage.ok('createEmbedder', {
    displayName: 'Mine',
    providerType: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    dimensionality: 512,
  });
  const { spaceId } = await stage.space({ name: 'house', embedderId });
  const chunkingConfig = { recursive: { chunkSize: 90 } };
  for (const [path, originalContent] of Object.entries(FILES))
    await stage.memory({ spaceId, originalContent, metadata: { path }, chunkingConfig });
});

const QUERY = ['retrieve', 'when was the boiler pump gasket replaced?', '--space', 'house', '--max-results', '2'];

test('results of a real server', async () => {
  const terminal = open(QUERY, { env: user.env });
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
  const terminal = open([...QUERY, '-i'], { env: user.env, rows: 12 });
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
