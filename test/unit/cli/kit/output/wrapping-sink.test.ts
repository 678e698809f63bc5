import { expect, test } from 'vitest';
import { wrappingSink } from '../../../../../src/cli/kit/output/wrapping-sink.ts';
import { cli } from '../../../../support/client/host.fixture.ts';

async function wrapped(text: string, columns: number): Promise<string> {
  const written: string[] = [];
  const write = async (data: string | Uint8Array): Promise<void> => {
    written.push(String(data));
  };
  await wrappingSink({ write }, columns).write(text);
  return written.join('');
}

test.each([
  ['svc: one two three four\n', 'svc: one two\n    three four\n'],
  ['  one two three four five\n', '  one two three\n  four five\n'],
  ['Delete it? This cannot be undone. [y/N] ', 'Delete it? This\ncannot be\nundone. [y/N] '],
  // A longer word has a line of its own.
  ['see 0123456789012345678901 there\n', 'see\n0123456789012345678901\nthere\n'],
  // A command can be copied in one piece.
  ['Make one: svc spaces create NAME\n', 'Make one:\nsvc spaces create NAME\n'],
  ['short\n\n  lines  stay\n', 'short\n\n  lines  stay\n'],
  ['\r\u001b[Ka line that is drawn over again\n', '\r\u001b[Ka line that is drawn over again\n'],
])('%j', async (text, expected) => {
  expect(await wrapped(text, 16)).toBe(expected);
});

test.each([40, 60, 80])(
  'messages on a terminal of %i columns wrap between words; elsewhere they do not wrap',
  async (columns) => {
    const args = ['spaces', 'list', '--sort', 'a-word-that-is-none-of-them'];
    const shown = await cli(args, { terminal: true, columns });
    const piped = await cli(args);
    for (const line of shown.stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(shown.stderr.split(/\s+/)).toEqual(piped.stderr.split(/\s+/));
    expect(piped.stderr.split('\n')[0]).toMatch(/got "a-word-that-is-none-of-them"$/);
  },
);
