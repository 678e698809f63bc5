import { CONTENT_PART_BYTES } from '../../store/content.ts';
import type { TextPart } from '../../store/extracted-text.ts';

/** UTF-8 text in parts that end between code points; an empty text is one empty part. */
export function* textParts(text: Uint8Array, maxBytes: number = CONTENT_PART_BYTES): Generator<TextPart, void> {
  let start = 0;
  let startOffset = 0;
  let part = 0;
  do {
    const end = boundaryBefore(text, start + maxBytes);
    const data = Buffer.from(text.buffer, text.byteOffset + start, end - start);
    yield { part, startOffset, data };
    startOffset += codePoints(data);
    part += 1;
    start = end;
  } while (start < text.length);
}

/** The last boundary between code points at or before `offset`. */
function boundaryBefore(text: Uint8Array, offset: number): number {
  if (offset >= text.length) return text.length;
  let at = offset;
  while (isContinuation(text[at])) at -= 1;
  return at;
}

function codePoints(utf8: Uint8Array): number {
  let count = 0;
  for (const byte of utf8) if (!isContinuation(byte)) count += 1;
  return count;
}

/** Continuation bytes look like 10xxxxxx; every other byte starts a code point. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
