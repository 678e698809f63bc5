import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
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
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      io.stderr.write(chunk).then(() => done(), done);
    },
  });
  const prompt = createInterface({ input: io.stdin, output, terminal: false });
  try {
    const answer = await prompt.question(`Delete ${what}? This cannot be undone. [y/N] `, { signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    prompt.close();
  }
  throw new CommandError('Nothing was deleted', { code: 'NOT_CONFIRMED', exit: EXIT.failed });
}
