import { createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../../../shared/errors.ts';

export interface UnpackOptions {
  /** More decompressed bytes than this are PAYLOAD_TOO_LARGE. */
  maxBytes: number;
  /** Called with the bytes held for the result before they are allocated; throws when they exceed the budget. */
  hold(bytes: number): void;
}

/** Deflate turns one byte into at most 1032. */
const HIGHEST_RATIO = 1032;
const PIECE_BYTES = 64 * 1024;

/**
 * Decompresses a message into one allocation, and stops when it exceeds the limit. Throws INVALID_ARGUMENT for bytes
 * that cannot be decompressed, UNIMPLEMENTED for other encodings than gzip and deflate.
 */
export async function unpack(
  packed: Uint8Array,
  encoding: string,
  { maxBytes, hold }: UnpackOptions,
): Promise<Uint8Array> {
  const unpacker = unpackerOf(encoding);
  let unpacked = Buffer.alloc(0);
  let length = 0;
  const grow = (capacity: number) => {
    hold(unpacked.length + capacity);
    const larger = Buffer.allocUnsafeSlow(capacity);
    unpacked.copy(larger, 0, 0, length);
    unpacked = larger;
    hold(capacity);
  };
  grow(Math.min(maxBytes, expectedLength(packed, encoding)));
  unpacker.end(packed);
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) {
      const needed = length + piece.length;
      if (needed > maxBytes) throw tooLarge(maxBytes);
      if (needed > unpacked.length) grow(Math.min(maxBytes, Math.max(needed, 2 * unpacked.length)));
      piece.copy(unpacked, length);
      length = needed;
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('INVALID_ARGUMENT', `The message cannot be decompressed as ${encoding}`, { cause });
  }
  return unpacked.subarray(0, length);
}

function unpackerOf(encoding: string) {
  if (encoding === 'gzip') return createGunzip({ chunkSize: PIECE_BYTES });
  if (encoding === 'deflate') return createInflate({ chunkSize: PIECE_BYTES });
  throw new ServiceError('UNIMPLEMENTED', `The server does not accept messages compressed as ${encoding}`, {
    details: 'use the grpc-encoding identity, gzip or deflate',
  });
}

/** gzip has the length of the content at its end. A wrong length costs only a copy. */
function expectedLength(packed: Uint8Array, encoding: string): number {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const guess = encoding === 'gzip' && bytes.length >= 18 ? bytes.readUInt32LE(bytes.length - 4) : 4 * bytes.length;
  return Math.min(guess, HIGHEST_RATIO * bytes.length);
}

export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', 'The message is larger than the server accepts', {
    details: `at most ${maxBytes} bytes after decompression`,
  });
}
