import { type ChunkOptions, chunkText } from './chunk/chunk-text.ts';
import type { ChunkingConfig } from './chunk/config.ts';
import { measuresTokens } from './chunk/measure.ts';
import { withinPatternTime } from './chunk/pattern-time.ts';
import { loadTokenCounter } from './chunk/token-counter.ts';
import { extractText } from './extract/extract-text.ts';
import { type PreparedContent, packChunks } from './prepared-content.ts';

export interface PrepareInput {
  /** The media type as declared, parameters included. */
  contentType: string;
  /** The stored parts in order; transfer their buffers where nobody else needs them. */
  parts: readonly Uint8Array[];
  chunking: ChunkingConfig;
  limits: {
    /** Code points of extracted text at most. */
    outputCharacters: number;
  };
}

/** From stored bytes to text and chunks. Throws ExtractionError when the content can never be read, or costs too much. */
export async function prepare({ contentType, parts, chunking, limits }: PrepareInput): Promise<PreparedContent> {
  const { text, keepsLines } = extractText(contentType, parts, limits);
  const options: ChunkOptions = measuresTokens(chunking) ? { countTokens: await loadTokenCounter() } : {};
  const spans = withinPatternTime(chunking, text.length, () => chunkText(text, chunking, options));
  return packChunks(text, spans, keepsLines);
}
