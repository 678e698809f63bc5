import type { Command } from '../command.ts';
import { type Flag, flagNames } from './flag.ts';

/** `path: problem` at the beginning of the details of an error and behind each `; `. */
const BAD_FIELD = /(^|; )([A-Za-z]\w*(?:\[[^\]]*\])?(?:\.\w+(?:\[[^\]]*\])?)*): /g;
/** The name of a field inside a sentence: of two words at least, to tell it from prose. */
const FIELD_WORD = /(?<![\w.])[a-z]+(?:[A-Z]|_[a-z])\w*(?![\w.[])/g;

/**
 * Details of the service's error, with the fields of the request under the names that they have on the command line:
 * `spaceEmbedders[0].embedderId: not a UUID` is `--embedder: not a UUID`. Fields are known in both spellings, `ownerId` and
 * `owner_id`. What no flag or argument of the command fills keeps its name.
 */
export function inFlags(details: string, { flags, args }: Pick<Command, 'flags' | 'args'>): string {
  const words = [
    ...Object.entries(flags).map(([key, flag]) => ({ shown: nameOf(flag), fields: flag.fields ?? fieldsOf(key) })),
    ...Object.entries(args).map(([key, arg]) => ({ shown: arg.term, fields: arg.fields ?? fieldsOf(key) })),
  ];
  const shownFor = (path: string): string | undefined => {
    const segments = camelCase(path.replace(/\[[^\]]*\]/g, '')).split('.');
    for (const start of segments.keys()) {
      const rest = `${segments.slice(start).join('.')}.`;
      const found = words.find(({ fields }) => fields.some((field) => rest.startsWith(`${field}.`)));
      if (found !== undefined) return found.shown;
    }
    return undefined;
  };
  // The id of the record itself, which every request calls otherwise.
  const ownId = (path: string): string | undefined =>
    /^\w+Id$/.test(camelCase(path)) ? words.find(({ fields }) => fields.includes('id'))?.shown : undefined;
  return details
    .replace(BAD_FIELD, (all, before: string, path: string) => {
      const shown = shownFor(path) ?? ownId(path);
      return shown === undefined ? all : `${before}${shown}: `;
    })
    .replace(FIELD_WORD, (word) => shownFor(word) ?? word);
}

function nameOf({ term }: Flag<unknown>): string {
  return flagNames(term).at(-1) ?? term;
}

/** What a field may be called that the flag or argument of this key fills. */
function fieldsOf(key: string): string[] {
  return [key, `${key}s`, `${key}Id`, `${key}Ids`, `${key}At`];
}

function camelCase(text: string): string {
  return text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
