import type { CommandContext } from '../command.ts';
import { readBytes } from './read-input.ts';

/**
 * A secret, trimmed: the text of a file, or of stdin for `-`. Where somebody can be asked it is asked for by its name and
 * not shown while it is typed.
 */
export async function readSecret(
  context: Pick<CommandContext, 'io' | 'signal'>,
  file: string,
  name: string,
): Promise<string> {
  if (file !== '-' || !context.io.canAsk) return (await readBytes(context.io, file)).toString('utf8').trim();
  const { readHiddenLine } = await import('./hidden-line.ts');
  return (await readHiddenLine(context, `${name} (not shown)`)).trim();
}
