import { createHash } from 'node:crypto';
import { ServiceError } from '../../../shared/errors.ts';
import {
  CONTENT_PART_BYTES,
  type ContentKey,
  deleteStaged,
  insertStagedPart,
  insertStaging,
} from '../../store/content.ts';
import type { Pool } from '../../store/db.ts';
import type { NewContent } from '../../store/memories.ts';
import { newId } from '../resources.ts';

/** Received content that does not belong to a memory yet. */
export interface ReceivedContent extends ContentKey {
  /** Bytes. */
  length: number;
  sha256: Buffer;
  /** Where its bytes are. */
  at: NewContent;
}

interface ReceiveOptions {
  spaceId: string;
  /** More → PAYLOAD_TOO_LARGE. */
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Receives content in parts and never holds more than two of them. Content of one part is kept in memory and stored
 * together with its memory record; larger content is staged part by part in separate statements, because no transaction may
 * be open while a client sends. Staged content must become part of a memory or be passed to `discardContent`; otherwise it
 * is swept.
 */
export async function receiveContent(
  pool: Pool,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { spaceId, maxBytes, signal }: ReceiveOptions,
): Promise<ReceivedContent> {
  const key = { spaceId, contentId: newId() };
  const hash = createHash('sha256');
  let length = 0;
  let staged = 0;
  let held: Buffer | undefined;
  const stage = async (data: Buffer) => {
    if (staged === 0) await insertStaging(pool, key, { signal });
    if (!(await insertStagedPart(pool, key, { index: staged, data }, { signal }))) throw uploadSwept();
    staged += 1;
  };
  try {
    for await (const part of partsOf(source)) {
      length += part.length;
      if (length > maxBytes) throw contentTooLarge(maxBytes);
      hash.update(part);
      if (held !== undefined) await stage(held);
      held = part;
    }
    if (staged > 0 && held !== undefined) await stage(held);
  } catch (error) {
    if (staged > 0) await discardContent(pool, key);
    throw error;
  }
  const at: NewContent = staged > 0 ? { kind: 'staged' } : { kind: 'inline', data: held };
  return { ...key, length, sha256: hash.digest(), at };
}

/** As `receiveContent`, of content that is at hand and has at most one part. */
export function holdContent(data: Uint8Array, spaceId: string): ReceivedContent {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    spaceId,
    contentId: newId(),
    length: bytes.length,
    sha256: createHash('sha256').update(bytes).digest(),
    at: { kind: 'inline', data: bytes.length === 0 ? undefined : bytes },
  };
}

/** Removes staged content that will not become a memory. Never fails: content that cannot be removed now is swept. */
export async function discardContent(pool: Pool, key: ContentKey): Promise<void> {
  await deleteStaged(pool, key, { timeoutMs: 30_000 }).catch(() => undefined);
}

/**
 * Regroups the pieces into parts of the stored size. A part stays as it is until the next but one is asked for: what
 * arrives is copied into two buffers in turn, because a new one for each part leaves the collector as much as the content
 * is large. A piece that holds a whole part is not copied.
 */
async function* partsOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  const filler = new PartFiller();
  for await (const piece of source) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const slice = bytes.subarray(at, at + CONTENT_PART_BYTES - filler.size);
      at += slice.length;
      // As long as a part only where the filler is empty.
      if (slice.length === CONTENT_PART_BYTES) yield slice;
      else if (filler.add(slice) === CONTENT_PART_BYTES) yield filler.take();
    }
  }
  if (filler.size > 0) yield filler.take();
}

/** Joins pieces to a part. */
class PartFiller {
  #size = 0;
  #buffer = Buffer.alloc(0);
  #spare = Buffer.alloc(0);

  /** Bytes of the part so far. */
  get size(): number {
    return this.#size;
  }

  /** Returns the new size. */
  add(piece: Buffer): number {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      // Doubled, as most content is far smaller than a part.
      const grown = Buffer.allocUnsafe(Math.min(CONTENT_PART_BYTES, Math.max(size, 2 * this.#buffer.length)));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#size);
    this.#size = size;
    return size;
  }

  /** The part, in a buffer that is filled again after the next part. */
  take(): Buffer {
    const part = this.#buffer.subarray(0, this.#size);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#size = 0;
    return part;
  }
}

export function contentTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `Content is larger than ${maxBytes} bytes`);
}

/** Also for a create that finds at the end that its content is no longer staged. */
export function uploadSwept(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The upload was idle for too long and was discarded; upload the content again',
  );
}
