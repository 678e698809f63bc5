import { ExtractionError } from '../errors.ts';
import { parseContentType } from './content-type.ts';
import { decodeText } from './decode.ts';
import { type Extractor, extractorFor, keepsLines } from './extractors.ts';
import { OutputText } from './output-text.ts';
import { isBinary, sniff } from './sniff.ts';

export interface ExtractLimits {
  /** Code points of extracted text at most. */
  outputCharacters: number;
}

export interface ExtractedText {
  text: string;
  /** The text has the lines of the document. */
  keepsLines: boolean;
}

/**
 * The text of a document, from the bytes of its stored parts in order. Offsets of chunks refer to this text. NUL
 * characters are dropped (the database cannot hold them), bytes that the charset does not know become U+FFFD.
 * Throws ExtractionError for a type that is not supported, bytes of another type, and text beyond the limit.
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
