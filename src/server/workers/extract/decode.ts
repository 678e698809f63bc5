import { TextDecoder } from 'node:util';
import { utf16Mark } from '../../../shared/text-encoding.ts';
import { ExtractionError } from '../errors.ts';
import { headOf } from './sniff.ts';

const MARK_BYTES = 2;

/**
 * Decodes the parts one after the other. The charset is the declared one, else the one that a byte order mark
 * tells, else UTF-8; a byte order mark is not part of the text, and bytes that do not fit become U+FFFD.
 */
export function* decodeText(parts: readonly Uint8Array[], charset: string | undefined): Generator<string> {
  const decoder = decoderFor(charset, utf16Mark(headOf(parts, MARK_BYTES)));
  // Always with `stream`: without it Node 20 takes a short cut that decodes windows-1252 as ISO 8859-1.
  for (const part of parts) {
    const text = decoder.decode(part, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

function decoderFor(charset: string | undefined, mark: string | undefined): TextDecoder {
  // `utf-16` alone leaves the byte order to the mark; TextDecoder would always take it for little-endian.
  const label = charset === undefined || (mark !== undefined && /^utf-?16$/i.test(charset)) ? mark : charset;
  try {
    return new TextDecoder(label ?? 'utf-8');
  } catch (cause) {
    throw new ExtractionError(`Unsupported charset: ${charset ?? ''}`, { cause });
  }
}
