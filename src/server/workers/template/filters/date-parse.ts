import { quoted, runtimeFailure } from '../failure.ts';
import { datePieces, MONTHS } from './date-pattern.ts';

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?(?:\[[\w/+-]{1,40}\])?$/;

/** Parses ISO 8601, in UTC if it has no offset. Milliseconds since 1970; undefined if it is malformed. */
export function isoParse(text: string): number | undefined {
  const found = ISO.exec(text.trim());
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = found.slice(1);
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const fields = { year, month, day, hour, minute, second };
  const numbers = Object.entries(fields).map(([name, value]): [string, number] => [name, Number(value ?? 0)]);
  return instant({ ...Object.fromEntries(numbers), millisecond, offset: minutes(offset) });
}

/** What a pattern letter parses: up to a number of digits into a field, or a name or an offset. */
type Reader = (
  text: string,
  count: number,
  next: boolean,
) => [length: number, field: string, value: number] | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  y: year,
  u: year,
  M: month,
  L: month,
  d: digits('day'),
  H: digits('hour'),
  h: digits('half'),
  m: digits('minute'),
  s: digits('second'),
  S: digits('millisecond'),
  a: (text) => word(text, ['AM', 'PM'], 'afternoon', 0),
  E: (text) => [/^[A-Za-z]*/.exec(text)?.[0].length ?? 0, 'weekday', 0],
  Z: offset,
  X: offset,
  x: offset,
};

/** Parses a string by a Java date pattern, in UTC if the pattern has no offset. Undefined if it does not match. */
export function dateParse(text: string, pattern: string): number | undefined {
  const fields: Record<string, number> = {};
  let at = 0;
  const pieces = datePieces(pattern);
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      if (!text.startsWith(piece.text, at)) return undefined;
      at += piece.text.length;
      continue;
    }
    const reader = READERS[piece.letter];
    if (reader === undefined) throw runtimeFailure(`The date pattern letter ${quoted(piece.letter)} cannot be read`);
    const following = pieces[index + 1];
    const read = reader(text.slice(at, at + 40), piece.count, following !== undefined && 'letter' in following);
    if (read === undefined) return undefined;
    at += read[0];
    fields[read[1]] = read[2];
  }
  return at === text.length ? instant(fields) : undefined;
}

/** If another number follows directly, exactly as many digits as letters; else as many digits as there are. */
function digits(field: string): Reader {
  return (text, count, next) => {
    const found = (next ? new RegExp(`^\\d{${count}}`) : /^\d{1,9}/).exec(text)?.[0];
    return found === undefined ? undefined : [found.length, field, Number(found)];
  };
}

function year(text: string, count: number, next: boolean): ReturnType<Reader> {
  const read = digits('year')(text, count, next);
  return read !== undefined && count === 2 && read[0] === 2 ? [2, 'year', 2000 + read[2]] : read;
}

function month(text: string, count: number, next: boolean): ReturnType<Reader> {
  if (count < 3) return digits('month')(text, count, next);
  return (
    word(text, MONTHS, 'month', 1) ??
    word(
      text,
      MONTHS.map((name) => name.slice(0, 3)),
      'month',
      1,
    )
  );
}

function word(text: string, words: readonly string[], field: string, first: number): ReturnType<Reader> {
  const index = words.findIndex((known) => text.toLowerCase().startsWith(known.toLowerCase()));
  return index < 0 ? undefined : [words[index]?.length ?? 0, field, index + first];
}

function offset(text: string): ReturnType<Reader> {
  const found = /^(?:Z|[+-]\d\d(?::?\d\d)?)/.exec(text)?.[0];
  return found === undefined ? undefined : [found.length, 'offset', minutes(found)];
}

/** The minutes east of UTC of `Z`, `+02`, `+0200` or `+02:00`. */
function minutes(text: string): number {
  if (text === 'Z') return 0;
  const size = Number(text.slice(1, 3)) * 60 + Number(text.slice(3).replace(':', '') || 0);
  return text.startsWith('-') ? -size : size;
}

/** Undefined if a field is out of range, e.g. for February 30. */
function instant(fields: Readonly<Record<string, number>>): number | undefined {
  const { year = 1970, month = 1, day = 1, half, afternoon = 0, minute = 0, second = 0, millisecond = 0 } = fields;
  const hour = fields.hour ?? (half === undefined ? 0 : (half % 12) + 12 * afternoon);
  const local = new Date(Date.UTC(2000, month - 1, day, hour, minute, second, millisecond));
  local.setUTCFullYear(year, month - 1, day);
  const kept = local.getUTCMonth() === month - 1 && local.getUTCDate() === day && local.getUTCHours() === hour;
  const sound = kept && local.getUTCMinutes() === minute && local.getUTCSeconds() === second;
  return sound ? local.getTime() - (fields.offset ?? 0) * 60_000 : undefined;
}
