import { notFound, ServiceError } from '../../../shared/errors.ts';
import type { ContentSource } from '../../context.ts';
import { CONTENT_PART_BYTES, selectContentSlice } from '../../store/content.ts';
import type { Queryable } from '../../store/db.ts';
import { selectTextLengths, selectTextPart } from '../../store/extracted-text.ts';
import type { MemoryRow } from '../../store/memory-row.ts';

/** The stored content of a memory. */
export function contentSource(q: Queryable, memory: MemoryRow, signal: AbortSignal): ContentSource {
  return {
    contentType: memory.contentType,
    filename: filenameOf(memory),
    length: memory.contentLength,
    sha256: memory.contentSha256,
    async *read(start, end) {
      for (let at = start; at < end; ) {
        const part = Math.floor(at / CONTENT_PART_BYTES);
        const first = part * CONTENT_PART_BYTES;
        const slice = { part, start: at - first, end: Math.min(end - first, CONTENT_PART_BYTES) };
        const data = await selectContentSlice(q, memory, slice, { signal });
        if (data === undefined || data.length === 0) throw notFound('Memory', memory.memoryId);
        yield data;
        at += data.length;
      }
    },
  };
}

function whyNone({ processingStatus, failureReason }: MemoryRow): string {
  if (processingStatus !== 'FAILED') return 'it has not been processed yet';
  return ['its processing has failed', failureReason ?? ''].filter((part) => part !== '').join(': ');
}

/** The extracted text of a memory, addressed in bytes of its UTF-8. Throws NOT_FOUND before extraction. */
export async function textSource(q: Queryable, memory: MemoryRow, signal: AbortSignal): Promise<ContentSource> {
  const lengths = await selectTextLengths(q, memory, { signal });
  if (lengths.length === 0) {
    throw new ServiceError('NOT_FOUND', `Memory has no extracted text: ${memory.memoryId}`, {
      details: whyNone(memory),
      resource: { kind: 'Memory', id: memory.memoryId },
    });
  }
  const filename = filenameOf(memory);
  return {
    contentType: 'text/plain; charset=utf-8',
    filename: filename === undefined ? undefined : `${filename}.txt`,
    length: lengths.reduce((sum, length) => sum + length, 0),
    sha256: undefined,
    async *read(start, end) {
      let first = 0;
      for (const [part, length] of lengths.entries()) {
        if (first < end && first + length > start) {
          const text = await selectTextPart(q, memory, part, { signal });
          if (text === undefined) throw notFound('Memory', memory.memoryId);
          yield Buffer.from(text).subarray(Math.max(0, start - first), end - first);
        }
        first += length;
      }
    },
  };
}

function filenameOf({ metadata: { filename } }: MemoryRow): string | undefined {
  return typeof filename === 'string' ? filename : undefined;
}

/** The whole content of a memory in one buffer, for responses that have the content inside a record. */
export async function wholeContent(q: Queryable, memory: MemoryRow, signal: AbortSignal): Promise<Uint8Array> {
  const content = Buffer.alloc(memory.contentLength);
  let at = 0;
  for await (const piece of contentSource(q, memory, signal).read(0, memory.contentLength)) {
    content.set(piece, at);
    at += piece.length;
  }
  return content;
}
