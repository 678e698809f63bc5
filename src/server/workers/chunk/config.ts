export type LengthMeasurement = 'CHARACTER_COUNT' | 'TOKEN_COUNT';

/** KEEP_END: the separator ends the left piece. KEEP_START: it starts the right piece. */
export type KeepStrategy = 'KEEP_END' | 'KEEP_START';

export interface RecursiveChunking {
  /** Hard maximum of a chunk, overlap included, in units of `lengthMeasurement`. */
  chunkSize: number;
  /** At most this much of the end of a chunk is repeated, in whole pieces; smaller than `chunkSize`. */
  chunkOverlap: number;
  /** In order of preference; `""` cuts between characters. */
  separators: readonly string[];
  keepStrategy: KeepStrategy;
  separatorIsRegex: boolean;
  lengthMeasurement: LengthMeasurement;
}

export interface SentenceChunking {
  maxChunkSize: number;
  /** A shorter chunk joins its neighbour when the result fits. */
  minChunkSize: number;
  /** Sentence rules are the neutral ones of Unicode whatever this says, as long as no language is known. */
  enableLanguageDetection: boolean;
  lengthMeasurement: LengthMeasurement;
}

/** One member only, with all its fields filled in; `none` keeps the content as one chunk. */
export type ChunkingConfig =
  | { none: Record<string, never> }
  | { recursive: RecursiveChunking }
  | { sentence: SentenceChunking };

export const DEFAULT_SEPARATORS: readonly string[] = ['\n\n', '\n', ' ', ''];

/** What a space gets when its creator says nothing. */
export const DEFAULT_CHUNKING: { recursive: RecursiveChunking } = {
  recursive: {
    chunkSize: 512,
    chunkOverlap: 64,
    separators: DEFAULT_SEPARATORS,
    keepStrategy: 'KEEP_END',
    separatorIsRegex: false,
    lengthMeasurement: 'CHARACTER_COUNT',
  },
};
