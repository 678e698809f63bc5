import { expect, test } from 'vitest';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();
const UPDATE = ['llms', 'update', 'X', '--secret', '-', '--server', 'http://127.0.0.1:1'];

test('a secret that is typed is not shown', async () => {
  const terminal = open(UPDATE);
  await terminal.shows('Secret (not shown):');
  terminal.type('top-secret\r');
  // Nothing listens there, so that the command ends once it has the secret.
  expect(await terminal.ended()).toBe(69);
  expect(terminal.raw).not.toContain('secret\r');
  expect(terminal.raw).not.toContain('top');
});

test('Ctrl-C while it is typed ends the command', async () => {
  const terminal = open(UPDATE);
  await terminal.shows('Secret (not shown):');
  terminal.type('top\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(terminal.raw).not.toContain('top');
});
