import type { JsonObject } from '@bufbuild/protobuf';
import { ServiceError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json/is-object.ts';
import { parseJsonText } from '../../shared/json/parse.ts';
import { checkPlainJson } from '../../shared/json/plain-json.ts';
import { usageError } from '../failure.ts';
import { type InputIo, readInput } from './read-input.ts';

/** The JSON object that a flag was given, `name` in errors. What no server could take exactly is refused. */
export function jsonObject(text: string, name: string): JsonObject {
  const parsed = parsedJson(text, name);
  if (!isObject(parsed)) throw usageError(`${name} must be a JSON object`);
  const problems: string[] = [];
  checkPlainJson(parsed, '', (path, problem) => problems.push(`${path}: ${problem}`), { allowNul: true });
  if (problems.length > 0) throw usageError(`${name} cannot be used`, { details: problems.join('; ') });
  // Parsed JSON is JSON; only its type says less.
  return parsed as JsonObject;
}

function parsedJson(text: string, name: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { cause, message, details } = error;
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be used';
    throw usageError(`${name} ${problem}`, { details: details || message.replace('Invalid JSON: ', '') });
  }
}

/** The same, or with `@` the one in that file (`@-` for stdin). */
export async function readJsonObject(io: InputIo, value: string, name: string): Promise<JsonObject> {
  const text = value.startsWith('@') ? (await readInput(io, value.slice(1))).toString('utf8') : value;
  return jsonObject(text, name);
}
