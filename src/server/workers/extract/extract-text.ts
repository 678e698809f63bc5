import { TextDecoder } from 'node:util';
import { isTextType } from '../../../shared/content-types.ts';
import { textEncodingOf, utf16Mark } from '../../../shared/text-encoding.ts';
import { ExtractionError } from '../errors.ts';
import { type ContentType, parseContentType } from './content-type.ts';
import { extractCsv } from './csv.ts';
import { extractHtml } from './html.ts';
import { OutputText } from './output-text.ts';

export interface ExtractLimits {
  /** Most code points of extracted text. */
  outputCharacters: number;
}

export interface ExtractedText {
  text: string;
  /** Whether the lines of the text are those of the document. */
  keepsLines: boolean;
}

/**
 * The text of a document, from the bytes of its stored parts in order. Offsets of chunks refer to this text. NUL
 * characters are removed, since the database cannot store them; bytes that are invalid in the charset become U+FFFD.
 * Throws ExtractionError for an unsupported type, bytes of another type, and text beyond the limit.
 */
export function extractText(contentType: string, parts: readonly Uint8Array[], limits: ExtractLimits): ExtractedText {
  const type = parseContentType(contentType);
  const extractor: Extractor | undefined = extractorFor(type);
  if (extractor === undefined) throw new ExtractionError(`Unsupported content type: ${type.essence}`);
  const found = sniff(parts);
  if (found !== undefined) throw new ExtractionError(`Content is ${found}, declared ${type.essence}`);
  const charset = type.parameters.get('charset');
  if (charset === undefined && isBinary(parts))
    throw new ExtractionError(`Content is binary, declared ${type.essence}`);
  const output = new OutputText(limits.outputCharacters);
  extractor(decodeText(parts, charset), output, type);
  return { text: output.toString(), keepsLines: keepsLines(extractor) };
}

const MARK_BYTES = 2;

/**
 * Decodes the parts one after the other. The charset is the declared one, else that of the byte order mark, else UTF-8. A
 * byte order mark is not part of the text; invalid bytes become U+FFFD.
 */
function* decodeText(parts: readonly Uint8Array[], charset: string | undefined): Generator<string> {
  const decoder = decoderFor(charset, utf16Mark(headOf(parts, MARK_BYTES)));
  // Always with `stream`: without it a fast path of Node 20 decodes windows-1252 as ISO 8859-1.
  for (const part of parts) {
    const text = decoder.decode(part, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

function decoderFor(charset: string | undefined, mark: string | undefined): TextDecoder {
  // For plain `utf-16` the mark decides the byte order; TextDecoder would always assume little-endian.
  const label = charset === undefined || (mark !== undefined && /^utf-?16$/i.test(charset)) ? mark : charset;
  try {
    return new TextDecoder(label ?? 'utf-8');
  } catch (cause) {
    throw new ExtractionError(`Unsupported charset: ${charset ?? ''}`, { cause });
  }
}

/** Reads decoded text in blocks and writes the text that people would read. */
type Extractor = (blocks: Iterable<string>, output: OutputText, type: ContentType) => void;

/** Types with an extractor of their own; all other text types, Markdown and code included, are kept unchanged. */
const SPECIAL: Readonly<Record<string, Extractor>> = {
  'text/html': extractHtml,
  'application/xhtml+xml': extractHtml,
  'text/csv': extractCsv,
  'application/csv': extractCsv,
  'text/tab-separated-values': extractCsv,
};

/** The extractor of a type; undefined when it is not supported. */
function extractorFor({ essence }: ContentType): Extractor | undefined {
  if (Object.hasOwn(SPECIAL, essence)) return SPECIAL[essence];
  return isTextType(essence) ? copyText : undefined;
}

/** Whether an extractor keeps the lines of its input. */
function keepsLines(extractor: Extractor): boolean {
  return extractor === copyText;
}

function copyText(blocks: Iterable<string>, output: OutputText): void {
  for (const block of blocks) output.append(block);
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
function headOf(parts: readonly Uint8Array[], length: number): Uint8Array {
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
