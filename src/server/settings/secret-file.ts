import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { unreadable } from './unreadable.ts';

/** Larger than any secret, and small enough to notice a mistyped path to a huge or endless file. */
const MAX_BYTES = 65_536;

/** The text of a file without its last line end, or what is wrong with the file. A pipe is read to its end. */
export function readSecretFile(file: string): { text: string } | { problem: string } {
  let bytes: Buffer;
  try {
    bytes = readAtMost(file, MAX_BYTES + 1);
  } catch (error) {
    return { problem: unreadable(file, error) };
  }
  if (bytes.length > MAX_BYTES) return { problem: `${file} is larger than ${MAX_BYTES} bytes, too large for a secret` };
  if (!isUtf8(bytes)) return { problem: `${file} is not UTF-8 text` };
  return { text: bytes.toString('utf8').replace(/\r?\n$/, '') };
}

function readAtMost(file: string, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    while (length < bytes) {
      const read = readSync(descriptor, buffer, length, bytes - length, null);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
