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

type StreamFormat = 'ndjson' | 'sse';

/**
 * The format of a stream for an Accept header. SSE is chosen only when it is named and nothing that means NDJSON is wanted
 * more; at equal q-values NDJSON wins when it is named too, while a wildcard yields to the name.
 */
export function negotiateStream(accept: string | undefined): StreamFormat {
  if (accept === undefined) return 'ndjson';
  const ranges = parseAccept(accept);
  const sse = ranges.get('text/event-stream') ?? 0;
  const named = ranges.get('application/x-ndjson');
  if (named !== undefined) return sse > named ? 'sse' : 'ndjson';
  const wildcard = ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
  return sse > 0 && sse >= wildcard ? 'sse' : 'ndjson';
}

/** Media ranges in lower case with their q-values; of a range given twice the higher counts. */
function parseAccept(accept: string): Map<string, number> {
  const ranges = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const value = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1));
    // A q-value that is no number makes the range worthless rather than the request invalid.
    const weight = value >= 0 && value <= 1 ? value : 0;
    ranges.set(range, Math.max(weight, ranges.get(range) ?? 0));
  }
  return ranges;
}
