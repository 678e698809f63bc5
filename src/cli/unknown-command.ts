import type { Command } from './command.ts';
import type { Entry } from './entry.ts';
import { type CommandError, usageError } from './failure.ts';
import { didYouMean, orList } from './suggest.ts';
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
  entries: readonly Entry[],
): Promise<CommandError> {
  const message = `Unknown command ${JSON.stringify(word)}`;
  const next = 'All commands: svc --help';
  const synonym = SYNONYMS[word.toLowerCase()];
  if (synonym !== undefined && (synonym.startsWith('-') || entries.some(({ name }) => name === synonym))) {
    return usageError(message, { details: `Did you mean svc ${synonym}?`, next });
  }
  const nouns = await nounsWithVerb(word, entries);
  if (nouns.length > 0) {
    const details = `It stands behind a noun: ${orList(nouns)}`;
    return usageError(message, { details, next: `For example: svc ${nouns[0]} ${word} --help` });
  }
  const details = didYouMean(
    word,
    entries.map(({ name }) => name),
  );
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

async function nounsWithVerb(word: string, entries: readonly Entry[]): Promise<string[]> {
  const modules = await Promise.all(entries.map(async ({ name, load }) => ({ name, module: await load() })));
  return modules.flatMap(({ name, module }) => {
    if (module.kind === 'command') return [];
    return verbOf(module.commands, word) === undefined ? [] : [name];
  });
}

/** `Did you mean spaces?` says the rest of the line as well when there is only one candidate: `svc spaces list`. */
function withRest(question: string, word: string, words: readonly string[]): string {
  const noun = /^Did you mean (\S+)\?$/.exec(question)?.[1];
  const verb = words[words.indexOf(word) + 1];
  if (noun === undefined) return question;
  return `Did you mean svc ${noun}${verb !== undefined && /^[a-z]/.test(verb) ? ` ${verb}` : ''}?`;
}
