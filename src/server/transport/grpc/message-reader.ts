import { createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../../../shared/errors.ts';
import type { BodyShare } from '../body-budget.ts';

/** The compressed flag and the length of the message. */
const PREFIX_BYTES = 5;

/**
 * Splits the bytes of a call into messages and decompresses them. A message counts in the share of its call from the
 * moment its length is known, before its bytes are kept, until it is `taken`. It is held in one allocation, which goes
 * back to the operating system as a whole.
 */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #share: BodyShare;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #message: Buffer | undefined;
  /** Bytes read so far of the message or, before it, of its prefix. */
  #length = 0;
  #received = 0;
  #held = 0;

  /** `maxBytes` is the limit of one message, compressed and decompressed. */
  constructor(maxBytes: number, share: BodyShare) {
    this.#maxBytes = maxBytes;
    this.#share = share;
  }

  /** Bytes received so far, of all messages. */
  get received(): number {
    return this.#received;
  }

  /** Whether a message has begun and not ended. */
  get isAmid(): boolean {
    return this.#message !== undefined || this.#length > 0;
  }

  /** Bytes allocated for a message that has begun and not ended. */
  get reserved(): number {
    return this.#message?.length ?? 0;
  }

  /**
   * Takes bytes as they arrive and returns the messages that they complete, each with its prefix. Throws ServiceError.
   */
  write(data: Buffer): Buffer[] {
    this.#received += data.length;
    const complete: Buffer[] = [];
    for (let at = 0; at < data.length; ) {
      const target = this.#message ?? this.#prefix;
      const copied = data.copy(target, this.#length, at);
      at += copied;
      this.#length += copied;
      if (this.#length < target.length) break;
      const message = this.#message ?? this.#begin();
      if (this.#length < message.length) continue;
      complete.push(message);
      this.#message = undefined;
      this.#length = 0;
    }
    return complete;
  }

  /** The content of a message that `write` returned. Throws ServiceError. */
  async content(message: Buffer, encoding: string): Promise<Uint8Array> {
    const content = message.subarray(PREFIX_BYTES);
    if (message[0] === 0 || encoding === 'identity') {
      this.#hold(-PREFIX_BYTES);
      return content;
    }
    let own = 0;
    const hold = (bytes: number) => {
      this.#hold(bytes - own);
      own = bytes;
    };
    const unpacked = await unpack(content, encoding, { maxBytes: this.#maxBytes, hold });
    hold(unpacked.length);
    this.#hold(-message.length);
    return unpacked;
  }

  /** Releases the memory of a content that has been processed. */
  taken({ length }: Uint8Array): void {
    this.#hold(-length);
  }

  #begin(): Buffer {
    const size = this.#prefix.readUInt32BE(1);
    if (size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#hold(PREFIX_BYTES + size);
    this.#message = Buffer.allocUnsafeSlow(PREFIX_BYTES + size);
    this.#prefix.copy(this.#message);
    return this.#message;
  }

  #hold(more: number): void {
    this.#share.hold(this.#held + more);
    this.#held += more;
  }
}

interface UnpackOptions {
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
async function unpack(packed: Uint8Array, encoding: string, { maxBytes, hold }: UnpackOptions): Promise<Uint8Array> {
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

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', 'The message is larger than the server accepts', {
    details: `at most ${maxBytes} bytes after decompression`,
  });
}
