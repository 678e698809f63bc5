import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandContext } from '../command.ts';

/** Asks for a line that is not shown while it is typed. Only where a question can be put to someone (`io.canAsk`). */
export async function readHiddenLine(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  prompt: string,
): Promise<string> {
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
