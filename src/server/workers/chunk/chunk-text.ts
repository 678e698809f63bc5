import { codePointLength } from '../../../shared/text.ts';
import type { ChunkingConfig } from './config.ts';
import type { TokenCounter } from './token-counter.ts';

/** A chunk as a slice: text.slice(from, to), which is code points start to end. Ends are exclusive. */
export interface ChunkSpan {
  /** Offsets in Unicode code points. */
  start: number;
  end: number;
  /** The same offsets in UTF-16 code units, for slicing. */
  from: number;
  to: number;
}

export interface ChunkOptions {
  /** Needed for TOKEN_COUNT. */
  countTokens?: TokenCounter;
}

/** Chunks of a text in its order. Chunks of white space only are left out. */
export function chunkText(text: string, _config: ChunkingConfig, _options: ChunkOptions = {}): ChunkSpan[] {
  if (text.trim() === '') return [];
  return [{ start: 0, end: codePointLength(text), from: 0, to: text.length }];
}
