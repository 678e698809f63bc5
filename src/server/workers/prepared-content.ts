import { createHash } from 'node:crypto';
import type { ChunkSpan } from './chunk/chunk-text.ts';

const LINE_FEED = 0x0a;

/**
 * Extracted text with its chunks, as it is sent between threads: typed arrays only, which are transferred without a copy,
 * and UTF-8, which the database stores unchanged. The arrays have one entry per chunk, in the order of the text.
 */
export interface PreparedContent {
  /** The whole extracted text in UTF-8. */
  text: Uint8Array;
  /** Code point offsets of the chunks, end exclusive. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** Byte offsets of the chunks in `text`, end exclusive. */
  byteStarts: Uint32Array;
  byteEnds: Uint32Array;
  /**
   * Line of the document in which each chunk starts, from 1; undefined for a document of one line, and when the lines of the
   * text are not those of the document.
   */
  lines: Uint32Array | undefined;
  /** SHA-256 of the text and the chunk offsets, to detect that a later attempt has the same chunks. */
  digest: Uint8Array;
}

interface PreparedChunk {
  /** Code points in the extracted text, end exclusive. */
  start: number;
  end: number;
  text: string;
  /** Line of the document in which it starts, from 1. */
  line: number | undefined;
}

/** `keepsLines`: the lines of the text are those of the document. */
export function packChunks(text: string, spans: readonly ChunkSpan[], keepsLines: boolean): PreparedContent {
  const starts = Uint32Array.from(spans, (span) => span.start);
  const ends = Uint32Array.from(spans, (span) => span.end);
  const encoded = new TextEncoder().encode(text);
  const byteStarts = byteOffsets(encoded, starts);
  const byteEnds = byteOffsets(encoded, ends);
  const hasLines = keepsLines && text.trimEnd().includes('\n');
  const lines = hasLines ? lineNumbers(encoded, byteStarts) : undefined;
  // A copy: the Buffer of `digest` is a view of a shared pool, which cannot be transferred.
  const digest = new Uint8Array(createHash('sha256').update(encoded).update(starts).update(ends).digest());
  return { text: encoded, starts, ends, byteStarts, byteEnds, lines, digest };
}

/** Decodes the text of one chunk, so that a caller holds the strings of one batch and not of the whole document. */
export function preparedChunk(content: PreparedContent, index: number): PreparedChunk {
  const { text, byteStarts, byteEnds, starts, ends } = content;
  const from = byteStarts[index];
  const to = byteEnds[index];
  const start = starts[index];
  const end = ends[index];
  if (from === undefined || to === undefined || start === undefined || end === undefined) {
    throw new RangeError(`Chunk ${index} is out of range; there are ${starts.length}`);
  }
  const chunk = Buffer.from(text.buffer, text.byteOffset + from, to - from).toString('utf8');
  return { start, end, text: chunk, line: content.lines?.[index] };
}

/** Ascending code point offsets as byte offsets. */
function byteOffsets(utf8: Uint8Array, points: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(points.length);
  let next = 0;
  let point = 0;
  for (let byte = 0; byte <= utf8.length && next < points.length; byte += 1) {
    // Continuation bytes look like 10xxxxxx; every other byte, and the end of the text, starts a code point.
    if (((utf8[byte] ?? 0) & 0xc0) === 0x80) continue;
    for (; points[next] === point; next += 1) offsets[next] = byte;
    point += 1;
  }
  return offsets;
}

/** The line, from 1, of each ascending byte offset. */
function lineNumbers(utf8: Uint8Array, offsets: Uint32Array): Uint32Array {
  const lines = new Uint32Array(offsets.length);
  let line = 1;
  let feed = utf8.indexOf(LINE_FEED);
  for (const [index, offset] of offsets.entries()) {
    for (; feed !== -1 && feed < offset; feed = utf8.indexOf(LINE_FEED, feed + 1)) line += 1;
    lines[index] = line;
  }
  return lines;
}
