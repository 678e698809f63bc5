import { runtimeFailure } from '../failure.ts';

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A piece of a Java date pattern: a letter with its number of repetitions, or literal text. */
type DatePiece = { letter: string; count: number } | { text: string };

/** More than any date format needs. */
const MAX_LENGTH = 200;
const PIECE = /([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+|'/y;

/** Parses a pattern such as `yyyy-MM-dd'T'HH:mm`: letters are fields, text in single quotes is literal. */
export function datePieces(pattern: string): DatePiece[] {
  if (pattern.length > MAX_LENGTH) throw runtimeFailure(`A date pattern has ${MAX_LENGTH} characters at most`);
  const pieces: DatePiece[] = [];
  PIECE.lastIndex = 0;
  for (let found = PIECE.exec(pattern); found !== null; found = PIECE.exec(pattern)) {
    const [all, letter, text] = found;
    if (letter !== undefined) pieces.push({ letter, count: all.length });
    else if (text !== undefined) pieces.push({ text: text === '' ? "'" : text.replaceAll("''", "'") });
    else if (all === "'") throw runtimeFailure('A quoted string in the date pattern is not closed');
    else pieces.push({ text: all });
  }
  return pieces;
}
