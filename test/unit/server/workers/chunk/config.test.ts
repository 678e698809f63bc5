import { describe, expect, it } from 'vitest';
import { DEFAULT_CHUNKING, type RecursiveChunking } from '../../../../../src/server/workers/chunk/config.ts';
import { chunkingViolations, separatorPatternProblem } from '../../../../../src/server/workers/chunk/validate.ts';

function recursivePaths(over: Partial<RecursiveChunking>): string[] {
  const config = { recursive: { ...DEFAULT_CHUNKING.recursive, ...over } };
  return chunkingViolations(config).map(({ path }) => path);
}

function sentencePaths(maxChunkSize: number, minChunkSize: number): string[] {
  const sentence = {
    maxChunkSize,
    minChunkSize,
    enableLanguageDetection: true,
    lengthMeasurement: 'TOKEN_COUNT' as const,
  };
  return chunkingViolations({ sentence }).map(({ path }) => path);
}

describe('the limits of a chunking config', () => {
  it('let the default and `none` pass', () => {
    expect(chunkingViolations(DEFAULT_CHUNKING)).toEqual([]);
    expect(chunkingViolations({ none: {} })).toEqual([]);
  });

  it('apply to sizes', () => {
    for (const chunkSize of [0, -1, 100_001, 1.5, Number.NaN]) {
      expect(recursivePaths({ chunkSize, chunkOverlap: 0 })).toContain('recursive.chunkSize');
    }
    expect(recursivePaths({ chunkSize: 100_000 })).toEqual([]);
    expect(recursivePaths({ chunkSize: 64, chunkOverlap: 64 })).toEqual(['recursive.chunkOverlap']);
    expect(recursivePaths({ chunkOverlap: -1 })).toEqual(['recursive.chunkOverlap']);
    expect(sentencePaths(10, 10)).toEqual([]);
    expect(sentencePaths(10, 11)).toEqual(['sentence.minChunkSize']);
    expect(sentencePaths(0, 0)).toEqual(['sentence.maxChunkSize']);
  });

  it('apply to separators', () => {
    expect(recursivePaths({ separators: Array.from({ length: 33 }, () => 'x') })).toEqual(['recursive.separators']);
    expect(recursivePaths({ separators: ['😀'.repeat(1000)] })).toEqual([]);
    expect(recursivePaths({ separators: ['a', 'b'.repeat(1001)] })).toEqual(['recursive.separators[1]']);
  });

  it('refuse a separator pattern that does not compile', () => {
    expect(recursivePaths({ separators: ['(', 'b+'], separatorIsRegex: true })).toEqual(['recursive.separators[0]']);
    expect(recursivePaths({ separators: ['('] })).toEqual([]);
    expect(separatorPatternProblem('\\p{L}+')).toBeUndefined();
    expect(separatorPatternProblem('[b-a]')).toMatch(/out of order/);
  });
});
