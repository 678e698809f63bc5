import type { Command } from '../kit/command.ts';

/** The command of a noun by its name or another name that it has. */
export function verbOf(commands: readonly Command[], word: string): Command | undefined {
  return commands.find(({ name, aliases }) => name === word || aliases?.includes(word) === true);
}
