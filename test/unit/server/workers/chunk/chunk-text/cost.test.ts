import { describe, expect, it } from 'vitest';
import { chunkText } from '../../../../../../src/server/workers/chunk/chunk-text.ts';
import { DEFAULT_CHUNKING, type RecursiveChunking } from '../../../../../../src/server/workers/chunk/config.ts';
import { withinPatternTime } from '../../../../../../src/server/workers/chunk/pattern-time.ts';
import { ExtractionError } from '../../../../../../src/server/workers/errors.ts';

function recursive(over: Partial<RecursiveChunking>): { recursive: RecursiveChunking } {
  return { recursive: { ...DEFAULT_CHUNKING.recursive, ...over } };
}

/** What is thrown, and how far the work came: the number of code points that were looked at is bounded by the limits. */
function refusal(text: string, over: Partial<RecursiveChunking>): string {
  try {
    chunkText(text, recursive(over));
  } catch (error) {
    if (error instanceof ExtractionError) return error.message;
    throw error;
  }
  return 'no refusal';
}

const words = (count: number) => 'word '.repeat(count / 5);

describe('the cost of chunking', () => {
  it('bounds the chunks of a memory', () => {
    const single = { chunkSize: 1, chunkOverlap: 0, separators: [''] };
    expect(chunkText('x'.repeat(100_000), recursive(single))).toHaveLength(100_000);
    expect(refusal('x'.repeat(100_001), single)).toMatch(
      /^Chunking would make more than 100000 chunks.*larger chunkSize/,
    );
    expect(refusal(words(3_000_000), single)).toMatch(/^Chunking would make more than 100000 chunks/);
  });

  it('bounds how often overlap repeats a text', () => {
    const overlapping = { chunkSize: 100_000, chunkOverlap: 99_999 };
    for (const separators of [[''], [' ']]) {
      const problem = refusal(words(3_000_000), { ...overlapping, separators });
      expect(problem).toMatch(/^The chunks would hold more than 30000000 characters in all.*less chunkOverlap$/);
    }
    expect(refusal(words(200_000), overlapping)).toMatch(/more than 10000000 characters/);
  });

  it('allows cheap configs, and an overlap of half a chunk in long texts', () => {
    expect(refusal(words(3000), { chunkSize: 1000, chunkOverlap: 999, separators: [''] })).toBe('no refusal');
    expect(refusal(words(3_000_000), { chunkSize: 512, chunkOverlap: 256 })).toBe('no refusal');
  });

  it('scans white space once, however often chunks overlap', () => {
    const spaces = ' '.repeat(300_000);
    const overlapping = recursive({ chunkSize: 100_000, chunkOverlap: 99_999, separators: [''] });
    expect(chunkText(spaces, overlapping)).toEqual([]);
    expect(chunkText(`${spaces}x`, overlapping).at(-1)).toMatchObject({ end: 300_001 });
  });
});

describe('patterns', () => {
  const hostile = recursive({ chunkSize: 30, chunkOverlap: 0, separators: ['(a+)+$'], separatorIsRegex: true });
  const nearly = `${'a'.repeat(60)}b`;

  it('with catastrophic backtracking are stopped, and reported', () => {
    const cut = () => withinPatternTime(hostile, nearly.length, () => chunkText(nearly, hostile));
    expect(cut).toThrow(ExtractionError);
    expect(cut).toThrow(/^Cutting with the separator patterns took longer than 2 s.*without nested repetition/);
  });

  it('that are fast are applied, and other failures keep their message', () => {
    const plain = recursive({ chunkSize: 13, separators: ['(?=Chapter)'], separatorIsRegex: true, chunkOverlap: 0 });
    const text = 'Chapter 1. Chapter 22. x';
    const cut = withinPatternTime(plain, text.length, () => chunkText(text, plain));
    expect(cut.map(({ from, to }) => text.slice(from, to))).toEqual(['Chapter 1. ', 'Chapter 22. x']);
    const failing = () => {
      throw new ExtractionError('as it was');
    };
    expect(() => withinPatternTime(plain, 1, failing)).toThrow('as it was');
  });
});
