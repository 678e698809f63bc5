import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { locateJsonError, locateRepeatedName } from './locate.ts';
import { type JsonScan, scanJson } from './scan.ts';

/**
 * Parses JSON text, a byte order mark allowed. Integers beyond 2^53 become `bigint`, with all their digits. Throws
 * INVALID_REQUEST that says where the text broke or an object names a member twice, without quoting it, and
 * PAYLOAD_TOO_LARGE when the text holds too many values. `parse` reads what has no such integers; it throws SyntaxError.
 */
export function parseJsonText(text: string, parse: (json: string) => unknown = JSON.parse): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  const scan = scanJson(json);
  const value = parsed(json, scan, parse);
  if (countNames(value) < scan.names) {
    throw new ServiceError('INVALID_REQUEST', `Invalid JSON: ${locateRepeatedName(json)}`);
  }
  return value;
}

/** The JSON value of a body; `undefined` when it is empty. Throws INVALID_REQUEST for bytes that are not UTF-8 or not JSON. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('INVALID_REQUEST', 'Invalid JSON: the body is not UTF-8', { cause });
  }
  return text === '' ? undefined : parseJsonText(text);
}

function parsed(json: string, { longIntegers }: JsonScan, parse: (json: string) => unknown): unknown {
  try {
    return longIntegers.length === 0 ? parse(json) : parseWithBigInts(json, longIntegers);
  } catch (cause) {
    throw new ServiceError('INVALID_REQUEST', `Invalid JSON: ${locateJsonError(json)}`, { cause });
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
