import { TextDecoder } from 'node:util';
import { ExtractionError } from '../errors.ts';

/**
 * Decodes the parts one after the other. The charset is the declared one, else the one that a byte order mark
 * tells, else UTF-8; a byte order mark is not part of the text, and bytes that do not fit become U+FFFD.
 */
export function* decodeText(parts: readonly Uint8Array[], charset: string | undefined): Generator<string> {
  const decoder = decoderFor(charset, byteOrderMark(parts));
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

function byteOrderMark(parts: readonly Uint8Array[]): string | undefined {
  const head: number[] = [];
  for (const part of parts) {
    head.push(...part.subarray(0, 2 - head.length));
    if (head.length === 2) break;
  }
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return undefined;
}
