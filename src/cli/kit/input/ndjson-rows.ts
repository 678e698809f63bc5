import { StringDecoder } from 'node:string_decoder';
import type { parse } from 'ndjson';
import { ServiceError } from '../../../shared/errors.ts';
import { EXIT } from '../../../shared/exit-codes.ts';
import { InvalidJson, parseJsonText } from '../../../shared/json/parse.ts';
import { CommandError } from '../errors.ts';

/** One value of an NDJSON input with the number of its line, from 1. */
interface NdjsonRow {
  line: number;
  value: unknown;
}

/**
 * The values of an NDJSON input, line by line; blank lines are passed over. Integers beyond 2^53 come as `bigint`, for
 * the caller to take or refuse. `source` names the input in errors.
 *
 * @throws CommandError (exit 65) at the first line that is not JSON.
 */
export async function* ndjsonRows(
  input: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<NdjsonRow> {
  // Loaded when input is read: most commands of a noun read none.
  const { default: ndjson } = await import('ndjson');
  let line = 1;
  const refuse: Refuse = (problem, details) => lineError(source, line, problem, details);
  for await (const text of linesOf(input, refuse)) {
    if (text.trim() !== '') yield { line, value: parseLine(text, ndjson.parse, refuse) };
    line += 1;
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

/** Of a bad line, in characters. */
const SHOWN = 40;

function parseLine(text: string, makeParser: typeof parse, refuse: Refuse): unknown {
  try {
    return parseJsonText(text, { parse: (json) => parseAlone(json, makeParser()), isLine: true });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.cause instanceof SyntaxError)
      throw refuse('is not JSON', `it begins with ${JSON.stringify(text.slice(0, SHOWN))}`);
    throw refuse('cannot be used', error instanceof InvalidJson ? error.fault : error.details);
  }
}

/** One parser for each line: the package counts no lines, skips bad ones or loses their number, and ends at a null. */
function parseAlone(json: string, parser: ReturnType<typeof parse>): unknown {
  let failure: Error | undefined;
  parser.once('error', (error) => {
    failure = error;
  });
  // Both calls work at once on a single line, nothing is left for later.
  parser.write(`${json}\n`);
  const value: unknown = parser.read();
  if (failure !== undefined) throw new SyntaxError(failure.message);
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
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    const [head = '', ...more] = text.split('\n');
    begun.push(head);
    length += head.length;
    for (const next of more) {
      yield begun.join('');
      begun = [next];
      length = next.length;
    }
    // A device or another binary file may never have a line feed. JSON has no NUL, not even in its strings.
    if (begun.at(-1)?.includes('\0')) throw refuse('is not JSON', 'it contains bytes that are not text');
    if (length > LONGEST_LINE) throw refuse('is too long', `it has more than ${LONGEST_LINE} characters`);
  }
  const rest = begun.join('') + decoder.end();
  if (rest !== '') yield rest;
}
