import { CommandError, EXIT, usageError } from '../failure.ts';
import { didYouMean } from '../parsing/suggest.ts';
import { oneLine } from '../render/printable.ts';

/** Something that can be named on the command line. */
export interface Named {
  readonly id: string;
  /** Whatever else it goes by, the one that people know first. */
  readonly names: readonly string[];
}

/** How a kind of record is spoken of when a name does not lead to one. */
export interface Noun {
  /** `Space`, `API key`. */
  readonly one: string;
  /** `spaces`, `API keys`. */
  readonly many: string;
  /** Where to look: `svc spaces list`. */
  readonly list: string;
}

/** Eight hex digits: with fewer of them the beginning of an id would be taken for one by chance. */
const SHORTEST_PREFIX = 8;
/** More candidates than these help nobody. */
const MOST_LISTED = 10;

/** Whether a text can be the beginning of an id: 8 or more of its characters. */
export function isIdPrefix(text: string): boolean {
  const rest = '00000000-0000-0000-0000-000000000000'.slice(text.length);
  return text.length >= SHORTEST_PREFIX && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text + rest);
}

/** Those of this name, letter by letter; else those whose ids begin so. */
export function calledExactly<T extends Named>(all: readonly T[], wanted: string): T[] {
  const exact = all.filter(({ names }) => names.includes(wanted));
  if (exact.length > 0 || !isIdPrefix(wanted)) return exact;
  return all.filter(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
}

/** Those of this name, letter by letter; else whatever the case; else those whose ids begin so. */
export function called<T extends Named>(all: readonly T[], wanted: string): T[] {
  const alike = all.filter(({ names }) => names.some((name) => name.toLowerCase() === wanted.toLowerCase()));
  const exact = alike.filter(({ names }) => names.includes(wanted));
  if (exact.length > 0) return exact;
  return alike.length > 0 ? alike : calledExactly(all, wanted);
}

/** The one of those that were found; undefined when there is none. More of them are an error that lists them. */
export function only<T extends Named>(
  found: readonly T[],
  wanted: string,
  { many }: Pick<Noun, 'many'>,
): T | undefined {
  const [first, second] = found;
  if (second === undefined) return first;
  const listed = found.slice(0, MOST_LISTED).map(({ id, names: [name = ''] }) => `${id} ${oneLine(name)}`.trim());
  const rest = found.length > listed.length ? [`and ${found.length - listed.length} more`] : [];
  const isPrefix = found.every(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
  const message = isPrefix ? `The ids of several ${many} begin with ${wanted}` : `Several ${many} are named ${wanted}`;
  throw usageError(oneLine(message), {
    details: [...listed, ...rest].join(', '),
    next: 'Give the whole id of one of them',
  });
}

/** That nothing goes by this name, with the names that it may have been meant to be. */
export function nothingCalled(wanted: string, { one, list }: Noun, names: Iterable<string>): CommandError {
  const isTooShort = /^[0-9a-f]{4,7}$/i.test(wanted);
  const details =
    didYouMean(wanted, names) ?? (isTooShort ? 'the beginning of an id must have at least 8 characters' : undefined);
  return new CommandError(`${one} not found: ${oneLine(wanted)}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: oneLine(details ?? 'nothing has this name or an id that begins with it'),
    next: `See what there is: ${list}`,
  });
}
