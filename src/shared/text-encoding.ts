/** How bytes without a declared charset are to be read as text. */
type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * As a part of all bytes. Logs with colors and paged manuals have some control characters; of random bytes a tenth are.
 */
const MOST_CONTROLS = 0.05;

/**
 * The encoding of bytes that are text, undefined for bytes that are none. Text is UTF-8, UTF-16 behind a byte order mark,
 * or, without NUL and with hardly a control character, windows-1252, of which ISO 8859-1 is a part. UTF-8 may have any
 * characters, and then some bytes that do not fit.
 */
export function textEncodingOf(bytes: Uint8Array): TextEncoding | undefined {
  const mark = utf16Mark(bytes);
  if (mark !== undefined) return mark;
  const { controls, nuls, wide, misfits } = countKinds(bytes);
  if (misfits === 0) return 'utf-8';
  if (nuls > 0 || controls > bytes.length * MOST_CONTROLS) return undefined;
  // A character of several bytes hardly ever comes about by chance: where they prevail, the misfits are faults.
  return wide > misfits ? 'utf-8' : 'windows-1252';
}

/** The encoding that the first two bytes tell, if they are a byte order mark of UTF-16. */
export function utf16Mark([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

interface Kinds {
  nuls: number;
  /** Other characters below U+0020 than white space, backspace and escape. */
  controls: number;
  /** UTF-8 characters of several bytes. */
  wide: number;
  /** Bytes that are no UTF-8. */
  misfits: number;
}

function countKinds(bytes: Uint8Array): Kinds {
  const kinds: Kinds = { nuls: 0, controls: 0, wide: 0, misfits: 0 };
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const length = byte < 0x80 ? 1 : wideLength(bytes, at);
    if (length === 0) kinds.misfits += 1;
    else if (length > 1) kinds.wide += 1;
    else if (byte === 0) kinds.nuls += 1;
    else if (byte < 0x08 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b)) kinds.controls += 1;
    at += Math.max(1, length);
  }
  return kinds;
}

/** Of the UTF-8 character of several bytes that begins there; 0 when none does. */
function wideLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  for (let next = at + 1; next < at + length; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
