import { MOST_FIELD_CHARACTERS, type Violation, violationsText } from '../../shared/errors.ts';
import { camelCase } from '../../shared/name-cases.ts';
import { codePointLength } from '../../shared/text.ts';
import type { Command } from './command.ts';
import { type Flag, flagNames } from './flags/flag.ts';

interface CommandLine extends Pick<Command, 'flags' | 'args'> {
  /** The keys of the flags that were given. */
  given: readonly string[];
}

/**
 * Details of the service's error, with the fields of the request under the names that they have on the command line:
 * `spaceEmbedders[0].embedderId: not a UUID` is `--embedder: not a UUID`. What no flag or argument of the command fills keeps
 * its name. The service tells the fields twice, as data and as text, and may have cut short either of them: what one of the
 * two lacks comes from the other.
 */
export function inFlags(details: string, violations: readonly Violation[], line: CommandLine): string {
  const shownFor = namesOnCommandLine(line);
  const [first] = violations;
  const isTold = first !== undefined && details.startsWith(headOf(first.path));
  // Other words than those of the data are not searched for fields.
  if (!isTold && details.length > violationsText(violations).length) return details;
  const { told, rest } = isTold ? readDetails(details, violations) : { told: violations, rest: '' };
  const shown = violationsText(told.map((one) => ({ ...one, path: shownFor(one.path) })));
  return `${shown}${rest.replace(FURTHER_FIELD, (_, path: string) => `; ${shownFor(path)}: `)}`;
}

/** Where another field begins, if it is one: only names that the command line knows are replaced. */
const FURTHER_FIELD = /; ([^\s:;]+): /g;

/**
 * Walks through the details from one field to the next. `told` has the problems as far as either text has them; `rest` is
 * what the details say beyond the last problem of the data, from within its sentence where the data have cut it.
 */
function readDetails(details: string, violations: readonly Violation[]): { told: Violation[]; rest: string } {
  const told: Violation[] = [];
  let at = 0;
  for (const [index, violation] of violations.entries()) {
    const { path, problem } = violation;
    if (isStartOf(details.slice(at), violationsText(violations.slice(index)))) break;
    const from = endOfPath(details, at + path.length);
    const known = details.startsWith(problem, from) ? from + problem.length : from;
    const next = violations[index + 1];
    if (next === undefined) {
      return { told: [...told, { path, problem: details.slice(from, known) }], rest: details.slice(known) };
    }
    const end = startOfField(details, known, next.path);
    const isCut = isStartOf(details.slice(known), `; ${violationsText(violations.slice(index + 1))}`);
    told.push({ path, problem: details.slice(from, isCut ? known : end) });
    at = isCut ? details.length : end + '; '.length;
  }
  return { told: [...told, ...violations.slice(told.length)], rest: '' };
}

/** How the details of a field begin. The data may have cut the path, the text goes on with it. */
function headOf(path: string): string {
  return codePointLength(path) < MOST_FIELD_CHARACTERS ? `${path}: ` : path;
}

/** Where the problem of a field begins; its path may be longer than the data have it. */
function endOfPath(details: string, from: number): number {
  const colon = details.indexOf(': ', from);
  return colon === -1 ? details.length : colon + ': '.length;
}

/** Where the separator before the field stands; the end of the details when they do not tell of it. */
function startOfField(details: string, from: number, path: string): number {
  const start = details.indexOf(`; ${headOf(path)}`, from);
  return start === -1 ? details.length : start;
}

/** Whether the details have nothing more, or what was left of the text when it was cut. */
function isStartOf(rest: string, text: string): boolean {
  return rest === '' || (rest.endsWith('…') && text.startsWith(rest.slice(0, -1)));
}

/** A flag or argument, with the fields that it may fill: its own before those that it fills for want of another flag. */
interface Word {
  shown: string;
  fields: readonly string[];
  isGiven: boolean;
}

/** What people call a field of the request. Fields are known in both spellings, `ownerId` and `owner_id`. */
function namesOnCommandLine({ flags, args, given }: CommandLine): (path: string) => string {
  const words: Word[] = [
    ...Object.entries(flags).map(([key, flag]) => ({
      shown: nameOf(flag),
      fields: flag.fields ?? fieldsOf(key),
      isGiven: given.includes(key),
    })),
    ...Object.entries(args).map(([key, { term, fields = fieldsOf(key) }]) => ({ shown: term, fields, isGiven: true })),
  ];
  return (path) => {
    const segments = camelCase(path.replace(/\[[^\]]*\]/g, '')).split('.');
    for (const start of segments.keys()) {
      const found = filledBy(words, `${segments.slice(start).join('.')}.`);
      if (found !== undefined) return found.shown;
    }
    // The id of the record itself, which every request calls otherwise.
    const isId = segments.length === 1 && /^\w+Id$/.test(segments[0] ?? '');
    return (isId ? words.find(({ fields }) => fields.includes('id'))?.shown : undefined) ?? path;
  };
}

/** What fills the field. Of several, one that was given; of these the one whose own field it is most. */
function filledBy(words: readonly Word[], path: string): Word | undefined {
  const found = words
    .map((word) => ({ word, rank: word.fields.findIndex((field) => path.startsWith(`${field}.`)) }))
    .filter(({ rank }) => rank !== -1)
    .sort((a, b) => Number(b.word.isGiven) - Number(a.word.isGiven) || a.rank - b.rank);
  return found[0]?.word;
}

function nameOf({ term }: Flag<unknown>): string {
  return flagNames(term).at(-1) ?? term;
}

/** What a field may be called that the flag or argument of this key fills. */
function fieldsOf(key: string): string[] {
  return [key, `${key}s`, `${key}Id`, `${key}Ids`, `${key}At`];
}
