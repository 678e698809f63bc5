import { type ChunkOptions, chunkText } from './chunk/chunk-text.ts';
import type { ChunkingConfig } from './chunk/config.ts';
import { measuresTokens } from './chunk/measure.ts';
import { withinPatternTime } from './chunk/pattern-time.ts';
import { loadTokenCounter } from './chunk/token-counter.ts';
import { toWireError, type WireError } from './errors.ts';
import { extractText } from './extract/extract-text.ts';
import { type PreparedContent, packChunks } from './prepared-content.ts';

export interface PrepareInput {
  /** The media type as declared, parameters included. */
  contentType: string;
  /** The stored parts in order; transfer their buffers if the caller does not need them any more. */
  parts: readonly Uint8Array[];
  chunking: ChunkingConfig;
  limits: {
    /** Most code points of extracted text. */
    outputCharacters: number;
  };
}

/** Extracts the text of stored content and chunks it. Throws ExtractionError when the content cannot be read or exceeds a limit. */
export async function prepareContent({ contentType, parts, chunking, limits }: PrepareInput): Promise<PreparedContent> {
  const { text, keepsLines } = extractText(contentType, parts, limits);
  const options: ChunkOptions = measuresTokens(chunking) ? { countTokens: await loadTokenCounter() } : {};
  const spans = withinPatternTime(chunking, text.length, () => chunkText(text, chunking, options));
  return packChunks(text, spans, keepsLines);
}

/** Bytes of text of one of several contents: text can be many times as long as content that is compressed, and all is held at once. */
const MOST_TEXT_BYTES = 65_536;

/**
 * What became of one of several contents; `error` is what `prepareContent` throws, as it is sent between threads. One with
 * more text than several may have has to be prepared by itself.
 */
export type PreparedOrError = { content: PreparedContent } | { error: WireError } | { isLong: true };

/** Prepares several small contents, each for itself, in one turn of a thread. */
export async function prepareContents(inputs: readonly PrepareInput[]): Promise<PreparedOrError[]> {
  const outcomes: PreparedOrError[] = [];
  for (const input of inputs) {
    outcomes.push(
      await prepareContent(input).then(
        (content) => (content.text.length > MOST_TEXT_BYTES ? { isLong: true as const } : { content }),
        (error: unknown) => ({ error: toWireError(error) }),
      ),
    );
  }
  return outcomes;
}
