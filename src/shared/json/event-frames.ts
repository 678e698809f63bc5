import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { onOneLine } from '../text.ts';
import { encodeJson } from './encode.ts';

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
