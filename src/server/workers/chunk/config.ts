export type LengthMeasurement = 'CHARACTER_COUNT' | 'TOKEN_COUNT';

/** KEEP_END: the separator ends the left piece. KEEP_START: it starts the right piece. */
type KeepStrategy = 'KEEP_END' | 'KEEP_START';

export interface RecursiveChunking {
  /** Maximum length of a chunk including its overlap, in units of `lengthMeasurement`. */
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
  /** A shorter chunk is merged with its neighbor if the result fits. */
  minChunkSize: number;
  /** Has no effect so far: no language is detected, and Unicode's language-neutral sentence rules apply. */
  enableLanguageDetection: boolean;
  lengthMeasurement: LengthMeasurement;
}

/** Exactly one member, with all its fields set; `none` keeps the content as one chunk. */
export type ChunkingConfig =
  | { none: Record<string, never> }
  | { recursive: RecursiveChunking }
  | { sentence: SentenceChunking };

export const DEFAULT_SEPARATORS: readonly string[] = ['\n\n', '\n', ' ', ''];

/** The config of a space that is created without one. */
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
