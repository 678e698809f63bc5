import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { locateJsonError, locateRepeatedName } from './locate.ts';

/** Text that is not JSON, or not in the form that is read here (INVALID_REQUEST). */
export class InvalidJson extends ServiceError {
  /** What is wrong, and where that is known. */
  readonly fault: string;

  constructor(fault: string, cause?: unknown) {
    super('INVALID_REQUEST', `Invalid JSON: ${fault}`, { cause });
    this.fault = fault;
  }
}

interface ParseOptions {
  /** Reads what has no integers beyond 2^53; throws SyntaxError. */
  parse?: (json: string) => unknown;
  /** The text is one line of others: errors name the column alone. */
  isLine?: boolean;
}

/**
 * Parses JSON text, a byte order mark allowed. Integers beyond 2^53 become `bigint`, with all their digits. Throws
 * InvalidJson that says where the text broke or an object names a member twice, without quoting it, and PAYLOAD_TOO_LARGE
 * when the text holds too many values.
 */
export function parseJsonText(text: string, { parse = JSON.parse, isLine = false }: ParseOptions = {}): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  const scan = scanJson(json);
  const value = parsed(json, scan, { parse, isLine });
  if (countNames(value) < scan.names) throw new InvalidJson(locateRepeatedName(json, isLine));
  return value;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON value of a body; `undefined` when it is empty. Throws INVALID_REQUEST for bytes that are not UTF-8 or not JSON. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch (cause) {
    throw new InvalidJson('the body is not UTF-8', cause);
  }
  return text === '' ? undefined : parseJsonText(text);
}

function parsed(json: string, { longIntegers }: JsonScan, { parse, isLine }: Required<ParseOptions>): unknown {
  try {
    return longIntegers.length === 0 ? parse(json) : parseWithBigInts(json, longIntegers);
  } catch (cause) {
    throw new InvalidJson(locateJsonError(json, isLine), cause);
  }
}

/** Long integers pass the parser as strings that no text can hold by chance. */
function parseWithBigInts(json: string, places: JsonScan['longIntegers']): unknown {
  const mark = randomUUID();
  let marked = '';
  let done = 0;
  for (const [start, end] of places) {
    marked += `${json.slice(done, start)}"${mark}${json.slice(start, end)}"`;
    done = end;
  }
  const restore = (name: string, value: unknown) => {
    // Integers are no names: as a string one would be.
    if (name.startsWith(mark)) throw new SyntaxError('an integer stands in place of a name');
    return typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  };
  return JSON.parse(marked + json.slice(done), restore) as unknown;
}

/** Names of all members of all objects. Recurses no deeper than the text was allowed to nest. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countNames(item), 0);
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + countNames(item), 0);
}

/** What JSON text holds, found without parsing it. Says nothing about whether the text is JSON. */
interface JsonScan {
  /** Names of object members. */
  names: number;
  /** Where integers stand that a number may not hold exactly, as [start, end] in the text, in order. */
  longIntegers: readonly (readonly [number, number])[];
}

/** Free-form JSON may nest 100 deep, and a request has no more than a few levels around it. */
const MAX_DEPTH = 128;
/** A batch of 1000 items that each use every field and have 50 members of metadata stays far below. */
const MAX_VALUES = 250_000;

/** The fewest digits of an integer beyond 2^53. */
const LONG_DIGITS = 16;
/** JSON.parse makes Infinity of more, which every reader refuses. */
const MOST_DIGITS = 309;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;

/**
 * Counts what a text would become, before memory is spent on it: twenty million zeros are 40 MB of text and 1.7 GB parsed.
 * Costs a tenth of the parsing. Throws PAYLOAD_TOO_LARGE for too many values, INVALID_REQUEST for too deep nesting.
 */
function scanJson(text: string): JsonScan {
  const longIntegers: [number, number][] = [];
  let names = 0;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COMMA) values += 1;
    else if (unit === COLON) names += 1;
    else if (isOpening(unit)) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw new InvalidJson(`nested deeper than ${MAX_DEPTH} levels`);
    } else if (isClosing(unit)) depth -= 1;
    else if (isDigit(unit)) {
      const end = endOfNumber(text, at);
      const start = at > 0 && text[at - 1] === '-' ? at - 1 : at;
      if (isLongInteger(text, at, end)) longIntegers.push([start, end]);
      at = end - 1;
    }
    if (values > MAX_VALUES) throw tooMany();
  }
  return { names, longIntegers };
}

function tooMany(): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', 'The request body contains more values than the server accepts', {
    details: `at most ${MAX_VALUES} JSON values`,
  });
}

/** Offset of the closing quote; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isLongInteger(text: string, start: number, end: number): boolean {
  const digits = end - start;
  // A number does not begin with 0: what does is refused by the parser, and must not be kept from it.
  if (digits < LONG_DIGITS || digits > MOST_DIGITS || text.charCodeAt(start) === ZERO) return false;
  const literal = text.slice(start, end);
  return /^\d+$/.test(literal) && BigInt(literal) > 2n ** 53n;
}

/** `{` or `[`. */
function isOpening(unit: number): boolean {
  return unit === 0x7b || unit === 0x5b;
}

/** `}` or `]`. */
function isClosing(unit: number): boolean {
  return unit === 0x7d || unit === 0x5d;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 0x39;
}

/** A digit or one of `. + - e E`. */
function isOfNumber(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || unit === 0x2b || unit === 0x2d || unit === 0x65 || unit === 0x45;
}

/** Whether a parsed JSON value is an object: neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
