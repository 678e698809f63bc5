import { TextDecoder } from 'node:util';
import { utf16Mark } from '../../../shared/text-encoding.ts';
import { ExtractionError } from '../errors.ts';
import type { ContentType } from './content-type.ts';
import { extractCsv } from './csv.ts';
import { extractHtml } from './html.ts';
import { OutputText } from './output-text.ts';
import { type Format, headOf, recognize } from './recognize.ts';

interface ExtractLimits {
  /** Most code points of extracted text. */
  outputCharacters: number;
}

interface ExtractedText {
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
  const { format, type } = recognize(contentType, parts);
  const output = new OutputText(limits.outputCharacters);
  EXTRACTORS[format](decodeText(parts, type.parameters.get('charset')), output, type);
  return { text: output.toString(), keepsLines: format === 'text' };
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

const EXTRACTORS: Readonly<Record<Format, Extractor>> = { html: extractHtml, csv: extractCsv, text: copyText };

function copyText(blocks: Iterable<string>, output: OutputText): void {
  for (const block of blocks) output.append(block);
}
