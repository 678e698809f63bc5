import { ERROR_CODES } from '../../shared/errors.ts';
import { type Command, type CommandEntry, type CommandModule, offeredEntries } from '../kit/command.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { type Flag, flagNames, takesValue } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { choiceError } from '../kit/flags/kinds.ts';
import { closest, didYouMean, orList } from '../kit/text/suggest.ts';

/** Which command the words name. Parts that the words do not name are undefined. */
export interface Located {
  readonly entry: CommandEntry | undefined;
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
export async function locate(entries: readonly CommandEntry[], words: readonly string[]): Promise<Located> {
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
  entries: readonly CommandEntry[],
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

/** The command of a noun by its name or another name that it has. */
function verbOf(commands: readonly Command[], word: string): Command | undefined {
  return commands.find(({ name, aliases }) => name === word || aliases?.includes(word) === true);
}

/** What the server of this build cannot do yet. `what` is as it was called: `svc ocr`, `--search hybrid`. */
function lackingError(what: string, next?: string): CommandError {
  return new CommandError(`This version of svc does not offer ${what} yet`, {
    code: 'UNIMPLEMENTED',
    exit: ERROR_CODES.UNIMPLEMENTED.exit,
    details: 'its server cannot do that',
    ...(next === undefined ? {} : { next }),
  });
}

/** Throws when the flag, or a value that it was given, is one that the server cannot serve yet. */
export function requireOffered({ term, choices = [], lacking }: Flag<unknown>, texts: readonly string[]): void {
  if (lacking === undefined || texts.length === 0) return;
  const name = flagNames(term).at(-1) ?? term;
  if (lacking === true) throw lackingError(name, 'Leave it out');
  const offered = choices.filter((choice) => !lacking.includes(choice));
  for (const text of texts) {
    const isText = (choice: string): boolean => choice.toLowerCase() === text.toLowerCase();
    const value = lacking.find(isText);
    if (value !== undefined) throw lackingError(`${name} ${value}`, `It offers: ${offered.join(', ')}`);
    if (!offered.some(isText)) throw choiceError(name, offered, text);
  }
}

/** Words that other programs use for the same. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ask: 'retrieve',
  find: 'retrieve',
  query: 'retrieve',
  search: 'retrieve',
  key: 'apikeys',
  keys: 'apikeys',
  'api-keys': 'apikeys',
  login: 'profile',
  mem: 'memories',
  run: 'serve',
  start: 'serve',
  version: '--version',
};

/** A first word that names nothing. A verb in its place is told the nouns that it goes with. */
async function unknownNoun(
  word: string,
  words: readonly string[],
  all: readonly CommandEntry[],
): Promise<CommandError> {
  const entries = offeredEntries(all);
  const message = `Unknown command ${JSON.stringify(word)}`;
  const next = 'All commands: svc --help';
  const synonym = SYNONYMS[word.toLowerCase()];
  if (synonym !== undefined && (synonym.startsWith('-') || entries.some(({ name }) => name === synonym))) {
    return usageError(message, { details: `Did you mean svc ${synonym}?`, next });
  }
  const candidates = closest(
    word,
    entries.map(({ name }) => name),
  );
  const verb = await verbLike(word, entries, candidates.length === 0);
  if (verb !== undefined) {
    const stands = `${verb.name === word ? 'It' : verb.name} comes after a noun: ${orList(verb.nouns)}`;
    return usageError(message, { details: stands, next: `For example: svc ${verb.nouns[0]} ${verb.name} --help` });
  }
  return usageError(message, {
    next,
    ...(candidates.length === 0 ? {} : { details: question(candidates, word, words) }),
  });
}

/** A word behind a noun that is none of its commands. */
function unknownVerb(noun: string, word: string, commands: readonly Command[]): CommandError {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  return usageError(`Unknown command ${JSON.stringify(`${noun} ${word}`)}`, {
    details: didYouMean(word, names) ?? `There are ${names.join(', ')}`,
    next: `Help: svc ${noun} --help`,
  });
}

/** The verb that the word is, or that it is close to, with the nouns that have it. */
async function verbLike(
  word: string,
  entries: readonly CommandEntry[],
  alsoClose: boolean,
): Promise<{ name: string; nouns: string[] } | undefined> {
  const groups = await Promise.all(
    entries.map(async ({ name, load }) => {
      const module = await load();
      return { name, commands: module.kind === 'group' ? module.commands : [] };
    }),
  );
  const names = groups.flatMap(({ commands }) =>
    commands.flatMap((record) => [record.name, ...(record.aliases ?? [])]),
  );
  const [name] = names.includes(word) ? [word] : alsoClose ? closest(word, names) : [];
  if (name === undefined) return undefined;
  return { name, nouns: groups.flatMap((group) => (verbOf(group.commands, name) === undefined ? [] : [group.name])) };
}

/** What was meant by the word; with the rest of the line when there is only one candidate: `svc spaces list`. */
function question(candidates: readonly string[], word: string, words: readonly string[]): string {
  const verb = words[words.indexOf(word) + 1];
  const rest = verb !== undefined && /^[a-z]/.test(verb) ? ` ${verb}` : '';
  return `Did you mean ${candidates.length > 1 ? orList(candidates) : `svc ${candidates[0]}${rest}`}?`;
}
