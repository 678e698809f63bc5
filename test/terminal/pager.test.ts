import { expect, test } from 'vitest';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();
const LONG = ['help', 'serve'];

test('less controls the terminal until it exits', async () => {
  const terminal = open(LONG, { rows: 10, env: { PAGER: 'less' } });
  await terminal.shows(':');
  expect(terminal.text).toContain('svc serve');
  expect(terminal.exit).toBeUndefined();
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
});

test('less ends by itself when everything fits', async () => {
  const terminal = open(['help', 'completion'], { rows: 60, env: { SVC_PAGER: 'less', PAGER: 'false' } });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text).toContain('svc completion');
});

test('Ctrl-C in a pager goes to the pager', async () => {
  const terminal = open(LONG, { rows: 10, env: { PAGER: 'less' } });
  await terminal.shows(':');
  // Twice ends svc elsewhere. A terminal drops what is typed while it handles the key, so it is left until it is gone.
  terminal.type('\u0003');
  terminal.type('\u0003');
  const leaving = setInterval(() => terminal.exit ?? terminal.type('q'), 100);
  expect(await terminal.ended().finally(() => clearInterval(leaving))).toBe(0);
});

test('output is complete when the pager cannot be run', async () => {
  const terminal = open(['help', 'completion'], { rows: 60, env: { PAGER: '/nosuch/pager' } });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text).toMatch(/\/nosuch\/pager: not found/);
  expect(terminal.text).toContain('svc completion');
});

test('a pager that exits early is no failure', async () => {
  const terminal = open(LONG, { rows: 10, env: { PAGER: 'head -n 3' } });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.lines).toHaveLength(3);
});
