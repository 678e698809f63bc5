import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from './encode.ts';
import { onOneLine } from './one-line.ts';

export const NDJSON_CONTENT_TYPE = 'application/x-ndjson; charset=utf-8';

/** One event as a line; such a stream has no last object, it ends with the connection. */
export function ndjsonLine<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  encode: typeof encodeJson = encodeJson,
): string {
  return `${onOneLine(encode(desc, message))}\n`;
}
