import { expect, test } from 'vitest';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();

test.each([60, 80, 200])('help fits a terminal of %i columns', async (columns) => {
  const terminal = open(['--help'], { columns });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.lines).toContain('Usage: svc <command> [flags]');
});
