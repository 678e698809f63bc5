export interface ChunkRow {
  chunkId: string;
  memoryId: string;
  sequence: number;
  text: string;
  vectorStatus: string;
  /** Code points in the extracted text, end exclusive. */
  startOffset: number;
  endOffset: number;
  metadata: unknown;
  createdAt: number;
  updatedAt: number;
  /** Of its memory. */
  createdById: string;
  updatedById: string;
}

/** The columns of a ChunkRow from a chunk and its memory under these aliases. */
export function chunkColumns(chunk: string, memory: string): string {
  const c = chunk;
  return `${c}.chunk_id as "chunkId", ${c}.memory_id as "memoryId", ${c}.sequence, ${c}.text,
  ${c}.vector_status as "vectorStatus", ${c}.start_offset as "startOffset", ${c}.end_offset as "endOffset",
  ${c}.metadata, ${c}.created_at as "createdAt", ${c}.updated_at as "updatedAt",
  ${memory}.created_by_id as "createdById", ${memory}.updated_by_id as "updatedById"`;
}
