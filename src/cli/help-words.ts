import type { CommandModule } from './command.ts';
import { usageError } from './failure.ts';

/**
 * `help spaces create` as the words `spaces create --help`; other words stay as they are. Commander's own help command
 * knows one level of names only and answers an unknown one with the help of everything.
 */
export function helpWords(argv: readonly string[], loaded: ReadonlyMap<string, CommandModule>): readonly string[] {
  const [first, ...words] = argv;
  if (first !== 'help') return argv;
  const [noun, verb] = words.filter((word) => !word.startsWith('-'));
  if (noun === undefined) return ['--help'];
  const module = loaded.get(noun);
  if (module === undefined) throw unknown(noun);
  if (verb === undefined) return [noun, '--help'];
  const isKnown =
    module.kind === 'group' && module.commands.some(({ name, aliases }) => name === verb || aliases?.includes(verb));
  if (!isKnown) throw unknown(`${noun} ${verb}`);
  return [noun, verb, '--help'];
}

function unknown(words: string): Error {
  return usageError(`Unknown command '${words}'`, { next: 'All commands: svc --help' });
}
