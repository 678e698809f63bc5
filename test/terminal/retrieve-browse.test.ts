import { expect, test } from 'vitest';
import { type TerminalOptions, type TestTerminal, useTerminals } from '../support/terminal.ts';
import {
  begin,
  END,
  found,
  type HeldCall,
  memoryIdOf,
  note,
  SPACE,
  steady,
  summary,
  useHeldRetrievals,
} from './retrieve.fixture.ts';

const BEFORE = Array.from({ length: 30 }, (_, at) => `Line ${at + 1} in front of it.\n`).join('');
const FOUND = 'The boiler was serviced\non 3 March.\n';
const AFTER = Array.from({ length: 30 }, (_, at) => `Line ${at + 1} behind it.\n`).join('');

const open = useTerminals();
const retrievals = useHeldRetrievals((memoryId) => (memoryId === memoryIdOf(1) ? BEFORE + FOUND + AFTER : 'Short.'));

const CHUNK = { startOffset: BEFORE.length, endOffset: BEFORE.length + FOUND.length, chunkText: FOUND };
const boiler = found(1, { metadata: { filename: 'boiler.txt' }, score: 0.8312, ...CHUNK });
const others = [2, 3, 4, 5, 6, 7].flatMap((n) =>
  found(n, {
    metadata: { title: n === 3 ? '家の記録' : `Note ${n}` },
    score: 0.8 - n / 10,
    chunkText: 'Short.',
    endOffset: 6,
  }),
);

/** A small terminal with the list on it, and the call behind it. */
async function browse({
  flags = [],
  ...options
}: TerminalOptions & { flags?: readonly string[] } = {}): Promise<{ terminal: TestTerminal; call: HeldCall }> {
  const next = retrievals.next();
  const terminal = open(['retrieve', 'when was the boiler serviced?', '--space', SPACE, '-i', ...flags], {
    columns: 60,
    rows: 15,
    afterwards: 'stty -a',
    ...options,
    env: { ...retrievals.env(), ...options.env },
  });
  return { terminal, call: await next };
}

/** The normal screen, a visible cursor, lines and echo, and a scrollback that was never erased. */
function expectRestored({ raw, text }: TestTerminal): void {
  expect(raw.lastIndexOf('\u001b[?1049l')).toBeGreaterThan(raw.lastIndexOf('\u001b[?1049h'));
  expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(raw.lastIndexOf('\u001b[?25l'));
  expect(raw).not.toContain('\u001b[3J');
  expect(text).toMatch(/(^|\s)icanon\s(.*\s)?echo\s/ms);
}

/** What stands on the normal screen after it, without what `stty` says. */
function left({ lines }: TestTerminal): string[] {
  return lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('speed ')),
  );
}

test('every key at 60 columns and 15 rows', async () => {
  const { terminal, call } = await browse({ flags: ['--llm', SPACE] });
  call.send(note('PARTIAL_RESULTS', 'Some embedders failed'), begin(7), ...boiler, ...others, END);
  await terminal.shows('Summarizing 7 results · ');
  call.send(summary('It was serviced on 3 March [1].'));
  call.end();
  await terminal.shows('  7 results · ');
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    when was the boiler serv…  7 results · vector search · 0.0 s
    ────────────────────────────────────────────────────────────
    > note: PARTIAL_RESULTS
          Some embedders failed
      [1] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
          The boiler was serviced on 3 March.
      [2] ━━━━━━──── 0.600  Note 2  2 days ago
          Short.
      [3] ━━━━━───── 0.500  家の記録  2 days ago
          Short.
      [4] ━━━━────── 0.400  Note 4  2 days ago
          Short.

    ↑↓ move  Enter open  / filter  c copy id  q leave  ? keys
    "
  `);

  terminal.type('\u001b[Bjjk');
  await terminal.shows('> [2]');
  terminal.type('\u001b[A');
  await terminal.shows('> [1]');
  terminal.type('\u001b[6~');
  await terminal.shows('> [6]');
  terminal.type('\u001b[5~');
  await terminal.shows('> [1]');
  terminal.type('\u001b[F');
  await terminal.shows('> Summary');
  terminal.type('\r');
  await terminal.shows(/^Summary\n─+\n {2}It was serviced on 3 March \[1\]\.\n/);
  terminal.type('\u001b[D');
  await terminal.shows('> Summary');
  terminal.type('\u001b[H');
  await terminal.shows('> note: PARTIAL_RESULTS');
  terminal.type('\r');
  await terminal.shows('  note: Some embedders failed (PARTIAL_RESULTS)');
  terminal.type('\u001b');
  await terminal.shows('> note: PARTIAL_RESULTS');

  terminal.type('j\r');
  await terminal.shows('29–39 of 62');
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
    ────────────────────────────────────────────────────────────
      Line 29 in front of it.
      Line 30 in front of it.
    ▌ The boiler was serviced
    ▌ on 3 March.
      Line 1 behind it.
      Line 2 behind it.
      Line 3 behind it.
      Line 4 behind it.
      Line 5 behind it.
      Line 6 behind it.
      Line 7 behind it.
    ↑↓ scroll  Esc back  c copy id  q leave  ? keys  29–39 of 62
    "
  `);
  terminal.type('k');
  await terminal.shows(/─\n {2}Line 28 in front/);
  terminal.type('\u001b[6~j');
  await terminal.shows(/─\n {2}Line 8 behind/);
  terminal.type('\u001b[F');
  await terminal.shows('Line 30 behind it.');
  terminal.type('\u001b[H');
  await terminal.shows(/─\n {2}Line 1 in front/);
  terminal.type('c');
  await terminal.shows(`Copied ${memoryIdOf(1)}`);
  expect(terminal.raw).toContain(`\u001b]52;c;${Buffer.from(memoryIdOf(1)).toString('base64')}\u0007`);
  terminal.type('\u001b');
  await terminal.shows('> [1]');

  terminal.type('?');
  await terminal.shows('Any key goes back');
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    when was the boiler serv…  7 results · vector search · 0.0 s
    ────────────────────────────────────────────────────────────
    ↑ ↓ or k j  one up or down
    PgUp PgDn   one page up or down
    Home End    to the first or the last
    Enter or →  open the memory; what was found is marked
    Esc or ←    back to the list; in the list, clear the filter
    /           list only what contains the typed text
    c           copy the id of the memory, and print it at the …
    q           leave
    Ctrl-C      stop, exit code 130


    Any key goes back
    "
  `);
  terminal.type('x/記録');
  await terminal.shows('/記録▏');
  expect(terminal.lines.filter((line) => line.includes('['))).toEqual(['> [3] ━━━━━───── 0.500  家の記録  2 days ago']);
  terminal.type('x');
  await terminal.shows('Nothing matches');
  terminal.type('\u007f\r');
  await terminal.shows('/記録: 1 of 9');
  terminal.type('c\u001b');
  await terminal.shows('> note');
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
  expectRestored(terminal);
  expect(left(terminal)).toEqual([memoryIdOf(1), memoryIdOf(3)]);
});

test('while it streams: resized, and quit with q, which cancels the call', async () => {
  const { terminal, call } = await browse({ columns: 80, rows: 24 });
  call.send(begin(9), ...boiler);
  await terminal.shows('1 of 9 results');
  terminal.resize(60, 15);
  await terminal.shows(/─{60}\n> \[1\]/);
  call.send(...others);
  await terminal.shows('7 of 9 results');
  terminal.type('\r');
  await terminal.shows('▌ on 3 March.');
  terminal.resize(100, 30);
  await terminal.shows(/29–54 of 62$/m);
  expect(terminal.lines[1]).toBe('─'.repeat(100));
  terminal.resize(70, 8);
  await terminal.shows(/29–32 of 62$/m);
  expect(terminal.lines).toHaveLength(7);
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
  expectRestored(terminal);
  expect(left(terminal)).toEqual([]);
  await expect.poll(call.isCancelled).toBe(true);
});

test('Ctrl-C while it streams', async () => {
  const { terminal, call } = await browse();
  call.send(begin(9), ...boiler);
  await terminal.shows('1 of 9 results');
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expectRestored(terminal);
  await expect.poll(call.isCancelled).toBe(true);
});

test('a broken stream: the results so far can be read, then the failure is reported', async () => {
  const { terminal, call } = await browse();
  call.send(begin(9), ...boiler);
  await terminal.shows('1 of 9 results');
  call.fail(13, 'The server is going away');
  await terminal.shows('Ended early · 1 of 9 results');
  terminal.type('\r');
  await terminal.shows('▌ on 3 March.');
  terminal.type('q');
  expect(await terminal.ended()).toBe(76);
  expectRestored(terminal);
  expect(left(terminal)).toEqual([
    'svc: The stream ended early',
    '  The server is going away',
    '  Run the command again; what was printed may be incomplete',
  ]);
});

test('a failure before the first event, and nothing found, need no list', async () => {
  const failed = await browse();
  failed.call.fail(5, 'Space not found');
  expect(await failed.terminal.ended()).toBe(66);
  expectRestored(failed.terminal);
  expect(left(failed.terminal)).toEqual(['svc: Space not found']);
  const empty = await browse();
  empty.call.send(begin(0), END);
  empty.call.end();
  expect(await empty.terminal.ended()).toBe(0);
  expectRestored(empty.terminal);
  expect(left(empty.terminal).join(' ')).toContain('Nothing found. See which memories are there');
});

test.each([
  ['an uncaught exception', 'throw new Error("broken")', 1],
  ['SIGTERM', 'process.kill(process.pid, "SIGTERM")', 143],
])('the terminal is restored after %s', async (_name, does, exit) => {
  const preload = `data:text/javascript,process.on('SIGWINCH',()=>{${encodeURIComponent(does)}})`;
  const { terminal, call } = await browse({ env: { NODE_OPTIONS: `--import=${preload}` } });
  call.send(begin(9), ...boiler);
  await terminal.shows('1 of 9 results');
  terminal.resize(70, 20);
  expect(await terminal.ended()).toBe(exit);
  expectRestored(terminal);
});
