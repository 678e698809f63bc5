import { expect, test } from 'vitest';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();
// Nothing listens there, so that a command ends once it has the secret.
const SERVER = ['--server', 'http://127.0.0.1:1'];
const UPDATE = ['llms', 'update', 'X', '--secret', '-', ...SERVER];

test.each([
  { args: UPDATE, name: 'Secret' },
  { args: ['init', '--init-token', '-', ...SERVER], name: 'Init token' },
  { args: ['apikeys', 'list', '--api-key-file', '-', ...SERVER], name: 'API key' },
])('$args.0: the typed $name is not echoed', async ({ args, name }) => {
  const terminal = open(args);
  await terminal.shows(`${name} (not shown):`);
  terminal.type('top-hidden\r');
  expect(await terminal.ended()).toBe(69);
  expect(terminal.raw).not.toContain('hidden');
  expect(terminal.raw).not.toContain('top');
});

test('Ctrl-C while it is typed ends the command', async () => {
  const terminal = open(UPDATE);
  await terminal.shows('Secret (not shown):');
  terminal.type('top\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(terminal.raw).not.toContain('top');
});
