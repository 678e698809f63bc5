import { textEncodingOf } from '../../../shared/text-encoding.ts';

/** Formats whose first bytes no text begins with, by the name that people are told. */
const SIGNATURES: readonly { name: string; bytes: readonly number[] }[] = [
  { name: 'PDF', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { name: 'PNG', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { name: 'JPEG', bytes: [0xff, 0xd8, 0xff] },
  { name: 'TIFF', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { name: 'TIFF', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { name: 'ZIP', bytes: [0x50, 0x4b, 0x03, 0x04] },
];

const LONGEST = 8;

/** The binary format that the content really has, undefined when it may well be text. */
export function sniff(parts: readonly Uint8Array[]): string | undefined {
  const head = headOf(parts, LONGEST);
  return SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))?.name;
}

/** Enough to tell, and judged in less than a millisecond. */
const SAMPLE_BYTES = 65_536;
const LONGEST_CHARACTER = 4;

/** Whether the content begins like none of the encodings that text without a declared charset may have. */
export function isBinary(parts: readonly Uint8Array[]): boolean {
  const head = headOf(parts, SAMPLE_BYTES);
  // A character that the end of the sample cuts in two is no fault.
  let end = head.length;
  while (end > SAMPLE_BYTES - LONGEST_CHARACTER && (head[end - 1] ?? 0) >= 0x80) end -= 1;
  return textEncodingOf(head.subarray(0, end)) === undefined;
}

/** The first `length` bytes of content in parts; all of a shorter one. */
export function headOf(parts: readonly Uint8Array[], length: number): Uint8Array {
  const head = new Uint8Array(length);
  let filled = 0;
  for (const part of parts) {
    if (filled === length) break;
    const piece = part.subarray(0, length - filled);
    head.set(piece, filled);
    filled += piece.length;
  }
  return head.subarray(0, filled);
}
