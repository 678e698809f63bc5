import { isTextType } from '../../../shared/content-types.ts';
import { textEncodingOf } from '../../../shared/text-encoding.ts';
import { ExtractionError } from '../errors.ts';
import { type ContentType, parseContentType } from './content-type.ts';

/** How the text is taken out of a document. */
export type Format = 'html' | 'csv' | 'text';

interface RecognizedContent {
  format: Format;
  /** The declared type. */
  type: ContentType;
}

/** All other text types, Markdown and code included, are kept unchanged. */
const FORMATS: Readonly<Record<string, Format>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'csv',
};

/**
 * What the declared type and the bytes of the first part say about content, before the rest of it is read. `parts` are its
 * stored parts in order, of which the first one is enough. Throws ExtractionError for an unsupported type and for bytes of
 * another type.
 */
export function recognize(contentType: string, parts: readonly Uint8Array[]): RecognizedContent {
  const type = parseContentType(contentType);
  const format = formatOf(type);
  if (format === undefined) throw new ExtractionError(`Unsupported content type: ${type.essence}`);
  const found = sniff(parts);
  if (found !== undefined) throw new ExtractionError(`Content is ${found}, declared ${type.essence}`);
  if (!type.parameters.has('charset') && isBinary(parts)) {
    throw new ExtractionError(`Content is binary, declared ${type.essence}`);
  }
  return { format, type };
}

function formatOf({ essence }: ContentType): Format | undefined {
  if (Object.hasOwn(FORMATS, essence)) return FORMATS[essence];
  return isTextType(essence) ? 'text' : undefined;
}

/** Formats whose first bytes cannot be text, with their names for messages. */
const SIGNATURES: readonly { name: string; bytes: readonly number[] }[] = [
  { name: 'PDF', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { name: 'PNG', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { name: 'JPEG', bytes: [0xff, 0xd8, 0xff] },
  { name: 'TIFF', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { name: 'TIFF', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { name: 'ZIP', bytes: [0x50, 0x4b, 0x03, 0x04] },
];

const LONGEST = 8;

/** The binary format that the first bytes show; undefined when the content may be text. */
function sniff(parts: readonly Uint8Array[]): string | undefined {
  const head = headOf(parts, LONGEST);
  return SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))?.name;
}

/** Enough to decide, and checked in less than a millisecond. */
const SAMPLE_BYTES = 65_536;
const LONGEST_CHARACTER = 4;

/** Whether the beginning of the content is invalid in every encoding that text without a declared charset may have. */
function isBinary(parts: readonly Uint8Array[]): boolean {
  const head = headOf(parts, SAMPLE_BYTES);
  // Leave out a character that the end of the sample may have split.
  let end = head.length;
  while (end > SAMPLE_BYTES - LONGEST_CHARACTER && (head[end - 1] ?? 0) >= 0x80) end -= 1;
  return textEncodingOf(head.subarray(0, end)) === undefined;
}

/** The first `length` bytes of content in parts, or all of shorter content. */
export function headOf(parts: readonly Uint8Array[], length: number): Uint8Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const head = new Uint8Array(Math.min(length, total));
  let filled = 0;
  for (const part of parts) {
    if (filled === head.length) break;
    const piece = part.subarray(0, head.length - filled);
    head.set(piece, filled);
    filled += piece.length;
  }
  return head;
}
