import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from './encode.ts';

/** What some readers of lines take for the end of one, Python's `splitlines` above all. JSON lets them stand in strings. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** JSON text without line breaks, so that no reader finds one in it either. */
export function onOneLine(json: string): string {
  return json.replace(LINE_SEPARATORS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export const NDJSON_CONTENT_TYPE = 'application/x-ndjson; charset=utf-8';

/** One event as a line; such a stream has no last object, it ends with the connection. */
export function ndjsonLine<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  encode: typeof encodeJson = encodeJson,
): string {
  return `${onOneLine(encode(desc, message))}\n`;
}

export const SSE_CONTENT_TYPE = 'text/event-stream; charset=utf-8';

/** The last frame of a stream that came to its end. */
export const SSE_CLOSE = 'event: close\ndata: {"type":"completed"}\n\n';

/** A comment line: keeps an idle connection open and is seen by no listener. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n';

/** One event as a frame. One `data:` line holds it, whatever its texts hold. */
export function sseFrame<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  encode: typeof encodeJson = encodeJson,
): string {
  return `event: item\ndata: ${onOneLine(encode(desc, message))}\n\n`;
}
