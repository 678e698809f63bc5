import { expect, test } from 'vitest';
import { type TerminalOptions, type TestTerminal, useTerminals } from '../support/terminal.ts';
import {
  begin,
  END,
  found,
  type HeldCall,
  note,
  SPACE,
  steady,
  summary,
  useHeldRetrievals,
} from './retrieve.fixture.ts';

const open = useTerminals();
const retrievals = useHeldRetrievals();

const BOILER = found(1, {
  metadata: { filename: 'boiler.txt' },
  score: 0.8312,
  chunkText:
    'The boiler was\nserviced on 3 March. They replaced the pump gasket, cleaned the burner and measured a flue gas temperature of 143 degrees. The next service is due in March next year. The invoice was paid on the same day, and the engineer left the old gasket on the shelf.',
});
const WIDE = found(2, {
  metadata: { filename: 'x.txt', title: 'ボイラー点検記録 \u001b[31mred' },
  score: 0.5,
  chunkText:
    'ボイラーは三月三日に点検されました。圧力は1.5バールです。次の点検は来年の三月です。パイプは問題ありませんでした。',
});
const LONG_NAME = found(3, {
  metadata: { filename: 'chimney-sweep-appointment-and-other-notes-of-this-autumn-before-winter.txt' },
  score: -0.0001,
  chunkText: 'Call the chimney sweep.',
});
const NAMELESS = found(4, { score: 1.7, chunkText: 'No name.' });
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is looked for
const COLORS = /\u001b\[[\d;]*m/;
const PARTIAL = note('PARTIAL_RESULTS', 'Some embedders failed');

async function retrieve(
  flags: readonly string[] = [],
  { env = {}, ...options }: TerminalOptions = {},
): Promise<{ terminal: TestTerminal; call: HeldCall }> {
  const next = retrievals.next();
  const args = ['retrieve', 'when was the boiler serviced?', '--space', SPACE, ...flags];
  const terminal = open(args, { ...options, env: { ...retrievals.env(), ...env } });
  return { terminal, call: await next };
}

/** Everything at once, at some width. */
async function whole(columns: number, options: TerminalOptions = {}): Promise<TestTerminal> {
  const { terminal, call } = await retrieve(['--llm', SPACE], { columns, ...options });
  call.send(PARTIAL, begin(4), ...BOILER, ...WIDE, ...LONG_NAME, ...NAMELESS, END);
  await terminal.shows('Summarizing 4 results · ');
  call.send(
    summary('It was serviced on 3 March [1], as the record in Japanese says too [2]. The pressure is 1.5 bar [2].'),
  );
  call.end();
  expect(await terminal.ended()).toBe(0);
  // Ink erases the scrollback when it is given too much to redraw.
  expect(terminal.raw).not.toContain('\u001b[3J');
  return terminal;
}

test('cards, remarks and the summary at 60 columns', async () => {
  expect(steady((await whole(60)).lines)).toMatchInlineSnapshot(`
    "
    note: Some embedders failed (PARTIAL_RESULTS)

    [1] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
        The boiler was serviced on 3 March. They replaced the
        pump gasket, cleaned the burner and measured a flue gas
        temperature of 143 degrees. The next service is due in…

    [2] ━━━━━───── 0.500  ボイラー点検記録  [31mred  2 days ago
        ボイラーは三月三日に点検されました。圧力は1.5バールです
        。次の点検は来年の三月です。パイプは問題ありませんでした
        。

    [3] ────────── 0.000  …-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    [4] ━━━━━━━━━━ 1.700  01980000-0000-7000-8000-000000000004
        No name.

    Summary
        It was serviced on 3 March [1], as the record in
        Japanese says too [2]. The pressure is 1.5 bar [2].

    4 results · vector search · 0.0 s
    "
  `);
});

test('cards, remarks and the summary at 80 columns', async () => {
  const terminal = await whole(80);
  expect(terminal.raw).toMatch(COLORS);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    note: Some embedders failed (PARTIAL_RESULTS)

    [1] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
        The boiler was serviced on 3 March. They replaced the pump gasket, cleaned
        the burner and measured a flue gas temperature of 143 degrees. The next
        service is due in March next year. The invoice was paid on the same day, a…

    [2] ━━━━━───── 0.500  ボイラー点検記録  [31mred · x.txt  2 days ago
        ボイラーは三月三日に点検されました。圧力は1.5バールです。次の点検は来年の三
        月です。パイプは問題ありませんでした。

    [3] ────────── 0.000  …-other-notes-of-this-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    [4] ━━━━━━━━━━ 1.700  01980000-0000-7000-8000-000000000004  2 days ago
        No name.

    Summary
        It was serviced on 3 March [1], as the record in Japanese says too [2]. The
        pressure is 1.5 bar [2].

    4 results · vector search · 0.0 s
    "
  `);
});

test('cards, remarks and the summary at 200 columns', async () => {
  const terminal = await whole(200, { env: { NO_COLOR: '1' } });
  expect(terminal.raw).not.toMatch(COLORS);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    note: Some embedders failed (PARTIAL_RESULTS)

    [1] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
        The boiler was serviced on 3 March. They replaced the pump gasket, cleaned the burner and
        measured a flue gas temperature of 143 degrees. The next service is due in March next year. The
        invoice was paid on the same day, and the engineer left the old gasket on the shelf.

    [2] ━━━━━───── 0.500  ボイラー点検記録  [31mred · x.txt  2 days ago
        ボイラーは三月三日に点検されました。圧力は1.5バールです。次の点検は来年の三月です。パイプは問題
        ありませんでした。

    [3] ────────── 0.000  chimney-sweep-appointment-and-other-notes-of-this-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    [4] ━━━━━━━━━━ 1.700  01980000-0000-7000-8000-000000000004  2 days ago
        No name.

    Summary
        It was serviced on 3 March [1], as the record in Japanese says too [2]. The pressure is 1.5 bar
        [2].

    4 results · vector search · 0.0 s
    "
  `);
});

test('whole chunks with their neighbors, the match marked; the plan of the search', async () => {
  const neighbors = [
    { chunkSequenceNumber: 6, chunkText: 'Before it.' },
    { chunkSequenceNumber: 8, chunkText: 'After it.' },
  ];
  const code = found(1, {
    metadata: { title: 'Code' },
    score: 0.5,
    chunkSequenceNumber: 7,
    chunkText: 'if (cold) {\n\theat();\n}\n\nfour\nfive',
    neighbors: { neighbors },
  });
  const { terminal, call } = await retrieve(['--full', '--explain']);
  const details = { embedMs: '1.20', searchMs: '3.40', candidates: '1', [`space.${SPACE}`]: 'exact 120' };
  call.send(begin(1, 'rerank'), ...code, END, { case: 'status', value: { code: 'EXPLAIN', details } });
  call.end();
  expect(await terminal.ended()).toBe(0);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ━━━━━───── 0.500  Code  2 days ago
        Before it.
      │ if (cold) {
      │     heat();
      │ }
      │
      │ four
      │ five
        After it.

    STEP      MS  READ
    embed   1.20
    search  3.40  1 candidate
                  exact 120 in space 01980000-0000-7000-8000-0000000000b1

    1 result · reranked · 0.0 s
    "
  `);
});

test('Ctrl-C before the first event', async () => {
  const { terminal, call } = await retrieve();
  await terminal.shows('Searching 1 space · ');
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(steady(terminal.lines)).toBe('\nStopped before the first result · 0.0 s\n');
  await expect.poll(call.isCancelled).toBe(true);
});

test('Ctrl-C between cards keeps the results so far', async () => {
  const { terminal, call } = await retrieve();
  call.send(begin(3), ...LONG_NAME, PARTIAL);
  await terminal.shows(/^1 of 3 results · vector search · /m);
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ────────── 0.000  …-other-notes-of-this-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    note: Some embedders failed (PARTIAL_RESULTS)

    Stopped · 1 of 3 results · vector search · 0.0 s
    "
  `);
});

test('Ctrl-C while the summary is awaited, under CI; the terminal is restored', async () => {
  const options = { env: { CI: 'true' }, afterwards: 'stty -a' };
  const { terminal, call } = await retrieve(['--llm', SPACE, '-o', 'tui', '--no-color'], options);
  call.send(begin(1), ...LONG_NAME, END);
  await terminal.shows('Summarizing 1 result · ');
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(terminal.text).toContain('Call the chimney sweep.');
  expect(terminal.text).toMatch(/^Stopped before the summary · 1 result · vector search · \d+\.\d s$/m);
  expect(terminal.text).toMatch(/(^|\s)icanon\s(.*\s)?echo\s/ms);
  expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  expect(terminal.raw).not.toMatch(COLORS);
});

test('a broken stream: the cards stay, then three lines', async () => {
  const { terminal, call } = await retrieve();
  call.send(begin(2), ...LONG_NAME);
  await terminal.shows('1 of 2 results');
  call.fail(13, 'The server is going away');
  expect(await terminal.ended()).toBe(76);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ────────── 0.000  …-other-notes-of-this-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    Ended early · 1 of 2 results · vector search · 0.0 s
    svc: The stream ended early
      The server is going away
      Run the command again; what was printed may be incomplete
    "
  `);
});

test('a failure before the first event shows the failure alone', async () => {
  const { terminal, call } = await retrieve();
  await terminal.shows('Searching 1 space');
  call.fail(5, 'Space not found');
  expect(await terminal.ended()).toBe(66);
  expect(terminal.lines.filter((line) => line !== '')).toEqual(['svc: Space not found']);
});

test('no results: what to do next', async () => {
  const { terminal, call } = await retrieve();
  call.send(begin(0), END);
  call.end();
  expect(await terminal.ended()).toBe(0);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    Nothing found.
    See which memories are there and COMPLETED: svc memories list
    01980000-0000-7000-8000-0000000000b1

    0 results · vector search · 0.0 s
    "
  `);
});

/** Two ticks of the clock: the process has seen what happened to the terminal before. */
async function ticked(terminal: TestTerminal): Promise<void> {
  const seconds = (): number => Number(/(\d+\.\d) s$/.exec(terminal.text)?.[1] ?? Number.NaN);
  const before = seconds();
  await expect.poll(seconds, { timeout: 10_000 }).toBeGreaterThan(before + 0.15);
}

test('resized while it streams, nothing is garbled or duplicated', async () => {
  const { terminal, call } = await retrieve(['--llm', SPACE], { columns: 100 });
  call.send(begin(3), ...LONG_NAME);
  await terminal.shows('1 of 3 results');
  terminal.resize(62, 20);
  await ticked(terminal);
  call.send(...BOILER);
  await terminal.shows('2 of 3 results');
  terminal.resize(80, 30);
  await ticked(terminal);
  call.send(...NAMELESS, END);
  await terminal.shows('Summarizing 3 results');
  terminal.resize(60, 12);
  await ticked(terminal);
  call.send(summary('Yes [1].'));
  call.end();
  expect(await terminal.ended()).toBe(0);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ────────── 0.000  …weep-appointment-and-other-notes-of-t
    his-autumn-before-winter.txt  2 days ago
        Call the chimney sweep.

    [2] ━━━━━━━━╸─ 0.831  boiler.txt  2 days ago
        The boiler was serviced on 3 March. They replaced the pu
    mp
        gasket, cleaned the burner and measured a flue gas
        temperature of 143 degrees. The next service is due in…

    [3] ━━━━━━━━━━ 1.700  01980000-0000-7000-8000-000000000004
    2 days ago
        No name.

    Summary
        Yes [1].

    3 results · vector search · 0.0 s
    "
  `);
});
