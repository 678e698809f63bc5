export type StreamFormat = 'ndjson' | 'sse';

/**
 * The format of a stream for an Accept header. SSE is chosen only when it is named and nothing that means NDJSON is wanted
 * more; at equal q-values NDJSON wins when it is named too, while a wildcard yields to the name.
 */
export function negotiateStream(accept: string | undefined): StreamFormat {
  const ranges = parseAccept(accept ?? '');
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
