import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from './encode.ts';

export const NDJSON_CONTENT_TYPE = 'application/x-ndjson; charset=utf-8';

/** What some readers of lines take for the end of one, Python's `splitlines` above all. JSON lets them stand in strings. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** JSON text without line breaks, so that no reader finds one in it either. */
export function onOneLine(json: string): string {
  return json.replace(LINE_SEPARATORS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One event as a line; such a stream has no last object, it ends with the connection. */
export function ndjsonLine<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  encode: typeof encodeJson = encodeJson,
): string {
  return `${onOneLine(encode(desc, message))}\n`;
}
