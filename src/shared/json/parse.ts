import { ServiceError } from '../errors.ts';
import { locateJsonError } from './locate.ts';

/** Parses JSON text, a byte order mark allowed; throws INVALID_REQUEST that says where the text broke, without quoting it. */
export function parseJsonText(text: string): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    throw new ServiceError('INVALID_REQUEST', `Invalid JSON: ${locateJsonError(json)}`, { cause });
  }
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
