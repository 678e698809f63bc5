import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { EXIT } from '../../../shared/exit-codes.ts';
import type { CommandContext } from '../command.ts';
import { CommandError, usageError } from '../errors.ts';
import { toggle } from '../flags/kinds.ts';
import { readBytes } from './read-input.ts';

export const FORCE_FLAG = toggle('-f, --force', 'Do not ask');

type Asker = Pick<CommandContext, 'io' | 'signal'>;

/** Asks before something is deleted. Without a terminal there is no answer, so `-f` is required there. */
export async function confirmDelete(context: Asker, what: string, force: boolean): Promise<void> {
  if (force) return;
  requireAsker(context, what, force);
  await confirm(context, `Delete ${what}? This cannot be undone.`, 'Nothing was deleted');
}

/** Refuses a deletion that cannot be confirmed, before anything is looked for. */
export function requireAsker({ io }: Pick<Asker, 'io'>, what: string, force: boolean): void {
  if (force || io.canAsk) return;
  throw usageError(`Deleting ${what} needs -f`, {
    details: 'it cannot be confirmed: stdin or stderr is not a terminal',
  });
}

interface Confirmation {
  question: string;
  /** What is said when the answer is no. */
  declined: string;
}

/** Asks before something that cannot be undone, on a terminal. A script is not asked. */
export async function confirmOnTerminal(
  context: Asker,
  { question, declined }: Confirmation,
  force: boolean,
): Promise<void> {
  if (!force && context.io.canAsk) await confirm(context, question, declined);
}

async function confirm(context: Asker, question: string, declined: string): Promise<void> {
  if (!(await isConfirmed(context, question)))
    throw new CommandError(declined, { code: 'NOT_CONFIRMED', exit: EXIT.failed });
}

/** Asks a question where the user can be asked (`io.canAsk`); anything but yes is no. */
export async function isConfirmed({ io, signal }: Asker, question: string): Promise<boolean> {
  await io.stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test((await readLine(io.stdin, signal)).trim());
}

/** The next line; "" when the input ends or the command is canceled. */
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

/**
 * A secret, trimmed: the text of a file, or of stdin for `-`. On a terminal the user is prompted for it by its name, and it is
 * not shown while it is typed.
 */
export async function readSecret(
  context: Pick<CommandContext, 'io' | 'signal'>,
  file: string,
  name: string,
): Promise<string> {
  if (file !== '-' || !context.io.canAsk) return (await readBytes(context.io, file)).toString('utf8').trim();
  return (await readHiddenLine(context, `${name} (not shown)`)).trim();
}

/** Asks for a line that is not shown while it is typed. Only where the user can be asked (`io.canAsk`). */
async function readHiddenLine({ io, signal }: Pick<CommandContext, 'io' | 'signal'>, prompt: string): Promise<string> {
  signal.throwIfAborted();
  // Readline ends the terminal's own echo and writes every key to its output instead.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output, terminal: true, historySize: 0, signal });
  const line = new Promise<string>((resolve) => {
    // In this mode Ctrl-C is a key.
    lines
      .once('SIGINT', io.interrupt)
      .once('line', resolve)
      .once('close', () => resolve(''));
  });
  try {
    // Not before the echo has ended: the answer may come with the question.
    await io.stderr.write(`${prompt}: `);
    await line;
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  await io.stderr.write('\n');
  return line;
}
