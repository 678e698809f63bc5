import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { CommandContext } from './command.ts';
import { CommandError, EXIT, usageError } from './failure.ts';
import { toggle } from './flags/kinds.ts';

export const FORCE_FLAG = toggle('-f, --force', 'Do not ask');

/** Asks before something is deleted. Without a terminal nobody can answer, so `-f` is required there. */
export async function confirmDelete(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  what: string,
  force: boolean,
): Promise<void> {
  if (force) return;
  if (!io.canAsk) throw usageError(`Deleting ${what} needs -f where nobody can be asked`);
  await io.stderr.write(`Delete ${what}? This cannot be undone. [y/N] `);
  if (/^y(es)?$/i.test((await readLine(io.stdin, signal)).trim())) return;
  throw new CommandError('Nothing was deleted', { code: 'NOT_CONFIRMED', exit: EXIT.failed });
}

/** The next line; "" when the input ends or the command is cancelled. */
async function readLine(input: Readable, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input, terminal: false, signal });
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(''));
    });
  } finally {
    lines.close();
  }
}
