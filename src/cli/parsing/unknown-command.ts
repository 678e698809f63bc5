import { type Command, type Entry, offeredEntries } from '../kit/command.ts';
import { type CommandError, usageError } from '../kit/errors.ts';
import { closest, didYouMean, orList } from '../kit/text/suggest.ts';
import { verbOf } from './verb.ts';

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
export async function unknownNoun(
  word: string,
  words: readonly string[],
  all: readonly Entry[],
): Promise<CommandError> {
  const entries = offeredEntries(all);
  const message = `Unknown command ${JSON.stringify(word)}`;
  const next = 'All commands: svc --help';
  const synonym = SYNONYMS[word.toLowerCase()];
  if (synonym !== undefined && (synonym.startsWith('-') || entries.some(({ name }) => name === synonym))) {
    return usageError(message, { details: `Did you mean svc ${synonym}?`, next });
  }
  const details = didYouMean(
    word,
    entries.map(({ name }) => name),
  );
  const verb = await verbLike(word, entries, details === undefined);
  if (verb !== undefined) {
    const stands = `${verb.name === word ? 'It' : verb.name} comes after a noun: ${orList(verb.nouns)}`;
    return usageError(message, { details: stands, next: `For example: svc ${verb.nouns[0]} ${verb.name} --help` });
  }
  return usageError(message, { next, ...(details === undefined ? {} : { details: withRest(details, word, words) }) });
}

/** A word behind a noun that is none of its commands. */
export function unknownVerb(noun: string, word: string, commands: readonly Command[]): CommandError {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  return usageError(`Unknown command ${JSON.stringify(`${noun} ${word}`)}`, {
    details: didYouMean(word, names) ?? `There are ${names.join(', ')}`,
    next: `Help: svc ${noun} --help`,
  });
}

/** The verb that the word is, or that it is close to, with the nouns that have it. */
async function verbLike(
  word: string,
  entries: readonly Entry[],
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

/** `Did you mean spaces?` says the rest of the line as well when there is only one candidate: `svc spaces list`. */
function withRest(question: string, word: string, words: readonly string[]): string {
  const noun = /^Did you mean (\S+)\?$/.exec(question)?.[1];
  const verb = words[words.indexOf(word) + 1];
  if (noun === undefined) return question;
  return `Did you mean svc ${noun}${verb !== undefined && /^[a-z]/.test(verb) ? ` ${verb}` : ''}?`;
}
