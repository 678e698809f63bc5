import { StringDecoder } from 'node:string_decoder';
import type { parse } from 'ndjson';
import { CommandError, EXIT } from '../failure.ts';

/** One value of an NDJSON input with the number of its line, from 1. */
export interface NdjsonRow {
  line: number;
  value: unknown;
}

/**
 * The values of an NDJSON input, line by line; blank lines are passed over. `source` names the input in errors.
 *
 * @throws CommandError (exit 65) at the first line that is not JSON.
 */
export async function* ndjsonRows(
  input: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<NdjsonRow> {
  // Loaded by those who read: most commands of a noun that can do not.
  const { parse } = await import('ndjson');
  // One parser for each line: the package counts no lines, skips bad ones or loses their number, and ends at a null.
  let line = 0;
  const refuse = (problem: string, details: string): Error => lineError(source, line + 1, problem, details);
  for await (const text of linesOf(input, refuse)) {
    line += 1;
    if (text.trim() !== '') yield { line, value: parseLine(text, { line, source, parser: parse() }) };
  }
}

/** A line of an input that cannot be used (exit 65). */
export function lineError(source: string, line: number, problem: string, details = ''): CommandError {
  return new CommandError(`Line ${line} of ${source} ${problem}`, {
    code: 'INVALID_ARGUMENT',
    exit: EXIT.badInput,
    details,
    next: 'Correct that line and run the command again',
  });
}

interface LineOptions {
  line: number;
  source: string;
  parser: ReturnType<typeof parse>;
}

/** Of a bad line, in characters. */
const SHOWN = 40;

function parseLine(text: string, { line, source, parser }: LineOptions): unknown {
  let isBad = false;
  parser.once('error', () => {
    isBad = true;
  });
  // Both calls work at once on a single line, nothing is left for later.
  parser.write(`${text}\n`);
  const value: unknown = parser.read();
  if (isBad) throw lineError(source, line, 'is not JSON', `it begins with ${JSON.stringify(text.slice(0, SHOWN))}`);
  return value;
}

/** Content of 256 MiB as base64 is 358 million characters; the longest string there is has 537 million. */
const LONGEST_LINE = 500_000_000;

type Refuse = (problem: string, details: string) => Error;

async function* linesOf(input: AsyncIterable<string | Uint8Array>, refuse: Refuse): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  // Kept as pieces: a line may be hundreds of megabytes long, and looking through it again with each piece would take hours.
  let begun: string[] = [];
  let length = 0;
  let isFirst = true;
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    const [head = '', ...more] = text.split('\n');
    begun.push(head);
    length += head.length;
    for (const next of more) {
      const line = begun.join('');
      yield isFirst ? withoutMark(line) : line;
      isFirst = false;
      begun = [next];
      length = next.length;
    }
    // A device or another binary file may have no line end for ever. JSON has no NUL, not even in its strings.
    if (begun.at(-1)?.includes('\0')) throw refuse('is not JSON', 'it contains bytes that are not text');
    if (length > LONGEST_LINE) throw refuse('is too long', `it has more than ${LONGEST_LINE} characters`);
  }
  const rest = begun.join('') + decoder.end();
  if (rest !== '') yield isFirst ? withoutMark(rest) : rest;
}

/** Editors on Windows put a byte order mark before the first line. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
