import type { NewChunk } from '../../store/chunks.ts';
import { type PreparedContent, preparedChunk } from '../../workers/prepared-content.ts';
import { newId } from '../resources.ts';

/** Most bytes of text in one batch, which bounds its memory whatever the size of the chunks. */
const MAX_BATCH_BYTES = 4_194_304;

export interface ChunkBatch {
  firstSequence: number;
  chunks: NewChunk[];
  isLast: boolean;
}

/**
 * The chunks from sequence `first` on in batches of at most `maxChunks`, created lazily. There is always a last batch; it is
 * empty for a text without chunks.
 */
export function* chunkBatches(content: PreparedContent, maxChunks: number, first = 0): Generator<ChunkBatch, void> {
  const total = content.starts.length;
  let start = Math.min(first, total);
  do {
    const end = endOfBatch(content, start, maxChunks);
    const chunks = Array.from({ length: end - start }, (_, index) => ({
      chunkId: newId(),
      ...preparedChunk(content, start + index),
    }));
    yield { firstSequence: start, chunks, isLast: end === total };
    start = end;
  } while (start < total);
}

function endOfBatch({ byteStarts, byteEnds }: PreparedContent, start: number, maxChunks: number): number {
  const limit = Math.min(byteStarts.length, start + maxChunks);
  let end = start;
  let bytes = 0;
  while (end < limit) {
    bytes += (byteEnds[end] ?? 0) - (byteStarts[end] ?? 0);
    if (bytes > MAX_BATCH_BYTES && end > start) break;
    end += 1;
  }
  return end;
}
