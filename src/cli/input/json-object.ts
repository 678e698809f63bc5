import type { JsonObject } from '@bufbuild/protobuf';
import { isObject } from '../../shared/json/is-object.ts';
import { locateJsonError } from '../../shared/json/locate.ts';
import { usageError } from '../failure.ts';
import { type InputIo, readInput } from './read-input.ts';

/** The JSON object that a flag was given, `name` in errors. */
export function jsonObject(text: string, name: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own words differ between releases of Node.js and quote the text.
    throw usageError(`${name} is not JSON`, { details: locateJsonError(text) });
  }
  if (!isObject(parsed)) throw usageError(`${name} must be a JSON object`);
  // Parsed JSON is JSON; only its type says less.
  return parsed as JsonObject;
}

/** The same, or with `@` the one in that file (`@-` for stdin). */
export async function readJsonObject(io: InputIo, value: string, name: string): Promise<JsonObject> {
  const text = value.startsWith('@') ? (await readInput(io, value.slice(1))).toString('utf8') : value;
  return jsonObject(text, name);
}
