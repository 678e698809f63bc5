import type { Command, CommandModule, Entry } from '../kit/command.ts';
import { flagNames, takesValue } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { lackingError } from './lacking.ts';
import { unknownNoun, unknownVerb } from './unknown-command.ts';
import { verbOf } from './verb.ts';

/** Which command the words name. Parts that the words do not name are undefined. */
export interface Located {
  readonly entry: Entry | undefined;
  readonly module: CommandModule | undefined;
  readonly record: Command | undefined;
  /** As it is called, without `svc`: `spaces list`; "" when no command is named. */
  readonly path: string;
  /** How many words lead to the command; what follows are its own arguments and flags. */
  readonly end: number;
  /** The word that stands where a command should and is none. */
  readonly unknown?: string;
}

const NOWHERE: Located = { entry: undefined, module: undefined, record: undefined, path: '', end: 0 };

/** Finds the command that is named and loads its records, and those of no other. Never throws. */
export async function locate(entries: readonly Entry[], words: readonly string[]): Promise<Located> {
  const names = namesIn(words);
  const noun = names.next().value;
  if (noun === undefined) return NOWHERE;
  const entry = entries.find(({ name }) => name === noun.word);
  if (entry === undefined) return { ...NOWHERE, unknown: noun.word };
  const module = await entry.load();
  const found = { entry, module, record: undefined, path: entry.name, end: noun.at + 1 };
  if (module.kind === 'command') return { ...found, record: module.command };
  const verb = names.next().value;
  if (verb === undefined) return found;
  const record = verbOf(module.commands, verb.word);
  if (record === undefined) return { ...found, unknown: verb.word };
  return { ...found, record, path: `${entry.name} ${record.name}`, end: verb.at + 1 };
}

/** Throws an error that helps when the words name no command, or one that is not offered yet. */
export async function requireKnown(
  entries: readonly Entry[],
  words: readonly string[],
  located: Located,
): Promise<void> {
  const { entry, module, unknown } = located;
  if (entry?.lacking === true) throw lackingError(`svc ${entry.name}`, 'All commands: svc --help');
  if (unknown === undefined) return;
  if (entry === undefined || module?.kind !== 'group') throw await unknownNoun(unknown, words, entries);
  throw unknownVerb(entry.name, unknown, module.commands);
}

const GLOBAL_TERMS = Object.values(GLOBAL_FLAGS).map(({ term }) => term);
const WITH_VALUE = new Set(GLOBAL_TERMS.filter(takesValue).flatMap(flagNames));
const BARE = new Set([...GLOBAL_TERMS.flatMap(flagNames), '-h', '--help', '--version']);
/** A short flag with its value: `-ojson`. */
const JOINED = /^-o./;

/** The words that may name a command: of all flags only the general ones may stand before them. */
function* namesIn(words: readonly string[]): Generator<{ word: string; at: number }, undefined> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) yield { word, at };
    else if (WITH_VALUE.has(word)) at += 1;
    else if (!BARE.has(word.replace(/=.*$/s, '')) && !JOINED.test(word)) return undefined;
  }
  return undefined;
}
