import { expect, test } from 'vitest';
import { useTerminals } from '../support/terminal.ts';
import { begin, END, found, SPACE, steady, summary, useHeldRetrievals } from './retrieve.fixture.ts';

const open = useTerminals();
const retrievals = useHeldRetrievals();

const ASK = ['ask', 'who serviced the boiler?', '--space', SPACE, '--llm', '01980000-0000-7000-8000-0000000000d1'];
const piece = (text: string) => ({ case: 'abstractDelta', value: { text } });
const RESULTS = [
  begin(2),
  ...found(1, { score: 0.8, chunkText: 'Anna serviced it.', metadata: { path: 'notes/boiler.md' } }),
  ...found(2, { score: 0.2, chunkText: 'The roof is new.', metadata: { path: 'notes/roof.md' } }),
  END,
];

test('an answer is shown while it streams, with its sources below', async () => {
  const next = retrievals.next();
  const terminal = open(ASK, { env: retrievals.env(), columns: 60 });
  const call = await next;
  call.send(...RESULTS);
  await terminal.shows('Summarizing 2 results');
  expect(terminal.lines.join('\n')).not.toContain('Anna');
  call.send(piece('Anna serviced the boiler [1'));
  await terminal.shows('Anna serviced the boiler [1');
  call.send(piece('], on 3 March.'), summary('Anna serviced the boiler [1], on 3 March.'));
  call.end();
  expect(await terminal.ended()).toBe(0);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    Anna serviced the boiler [1], on 3 March.

    [1] notes/boiler.md  2 days ago

    2 results · vector search · 0.0 s
    "
  `);
});

test('an answer taller than the screen is shown once', async () => {
  const next = retrievals.next();
  const terminal = open(ASK, { env: retrievals.env(), columns: 60, rows: 10 });
  const call = await next;
  call.send(...RESULTS);
  const lines = Array.from({ length: 14 }, (_, at) => `Line ${at + 1} of the answer.`);
  for (const line of lines) {
    call.send(piece(`${line}\n`));
    await terminal.shows(line);
  }
  call.send(summary(lines.join('\n')));
  call.end();
  expect(await terminal.ended()).toBe(0);
  const told = terminal.lines.filter((line) => line.startsWith('Line '));
  expect(told.map((line) => line.trimEnd())).toEqual(lines);
});

test('Ctrl-C keeps the results so far', async () => {
  const next = retrievals.next();
  const terminal = open(ASK, { env: retrievals.env(), columns: 80 });
  const call = await next;
  call.send(...RESULTS, piece('Anna'));
  await terminal.shows('Anna');
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(steady(terminal.lines)).toMatchInlineSnapshot(`
    "
    [1] ━━━━━━━━── 0.800  notes/boiler.md  2 days ago
        Anna serviced it.

    [2] ━━──────── 0.200  notes/roof.md  2 days ago
        The roof is new.

    Stopped before the summary · 2 results · vector search · 0.0 s
    "
  `);
});
