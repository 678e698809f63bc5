import type { BodyShare } from '../body-budget.ts';
import { tooLarge, unpack } from './unpack.ts';

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
