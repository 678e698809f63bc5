import { codePointsBetween } from '../../../shared/text.ts';
import type { ChunkingConfig, LengthMeasurement } from './config.ts';
import type { TokenCounter } from './token-counter.ts';
import { tokenMeasure } from './token-measure.ts';

/** Lengths of slices of one text. Offsets are UTF-16 code units. */
export interface Measure {
  /** Cheap, additive over neighbouring slices; a guess when `isExact` is false. */
  span(from: number, to: number): number;
  /** The length of the slice taken by itself. */
  exact(from: number, to: number): number;
  isExact: boolean;
}

/** Whether a config needs the token counter, which is big and loaded only then. */
export function measuresTokens(config: ChunkingConfig): boolean {
  if ('recursive' in config) return config.recursive.lengthMeasurement === 'TOKEN_COUNT';
  return 'sentence' in config && config.sentence.lengthMeasurement === 'TOKEN_COUNT';
}

export function createMeasure(text: string, unit: LengthMeasurement, countTokens: TokenCounter | undefined): Measure {
  if (unit === 'CHARACTER_COUNT') return characterMeasure(text);
  if (countTokens === undefined) throw new TypeError('TOKEN_COUNT needs a token counter');
  return tokenMeasure(text, countTokens);
}

export function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

function characterMeasure(text: string): Measure {
  const span = hasSurrogates(text)
    ? (from: number, to: number) => codePointsBetween(text, from, to)
    : (from: number, to: number) => to - from;
  return { span, exact: span, isExact: true };
}
