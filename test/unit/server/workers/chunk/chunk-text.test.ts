import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { type ChunkSpan, chunkText } from '../../../../../src/server/workers/chunk/chunk-text.ts';
import { DEFAULT_CHUNKING, type RecursiveChunking } from '../../../../../src/server/workers/chunk/config.ts';
import { loadTokenCounter } from '../../../../../src/server/workers/chunk/token-counter.ts';
import { codePoint } from '../../../../support/code-point.ts';

const counter = await loadTokenCounter();
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function recursive(over: Partial<RecursiveChunking>): { recursive: RecursiveChunking } {
  return { recursive: { ...DEFAULT_CHUNKING.recursive, chunkOverlap: 0, ...over } };
}

function chunksOf(text: string, over: Partial<RecursiveChunking>): string[] {
  return chunkText(text, recursive(over), { countTokens: counter }).map(({ from, to }) => text.slice(from, to));
}

function boundaries(text: string): Set<number> {
  return new Set([...Array.from(graphemes.segment(text), ({ index }) => index), text.length]);
}

/** Text made of what segmentation finds hard: emoji sequences, flags, marks, Hangul jamo, CRLF, Indic conjuncts. */
const hardText = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'B', ' ', '\n', '\r\n', '\n\n', '\r', '.', 'word ', '語', 'é', 'ё'),
      fc.constantFrom(
        '👩‍👩‍👧‍👦',
        '🇩🇪',
        '🇩',
        '👍🏽',
        'e\u0301',
        'ͤ',
        '\u200d',
        '\ufe0f',
        '©️',
        '한',
        '\u1112',
        '\u1161',
        '\u11ab',
      ),
      fc.constantFrom('क्ष', 'नि', 'กำ', '\u0600', '\u200c', '\u00ad', '𝒳', '\u3099', 'ก', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'),
      fc.string({ unit: codePoint, maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const sizes = fc.record({
  chunkSize: fc.integer({ min: 1, max: 40 }),
  overlapShare: fc.double({ min: 0, max: 0.99, noNaN: true }),
  keepStrategy: fc.constantFrom('KEEP_END' as const, 'KEEP_START' as const),
  separators: fc.constantFrom(['\n\n', '\n', ' ', ''], [' '], ['👍', '\n', 'e'], ['\u200d', '🇩'], ['\r', '\u0301']),
});

function longestGrapheme(text: string): number {
  return Math.max(0, ...Array.from(graphemes.segment(text), ({ segment }) => [...segment].length));
}

function expectExactSlices(text: string, spans: readonly ChunkSpan[]): void {
  const points = [...text];
  for (const { from, to, start, end } of spans) expect(points.slice(start, end).join('')).toBe(text.slice(from, to));
}

/** Every character that is in no chunk is white space. */
function expectCovered(text: string, spans: readonly ChunkSpan[]): void {
  let covered = 0;
  for (const { from, to } of spans) {
    if (from > covered) expect(text.slice(covered, from).trim()).toBe('');
    expect(to).toBeGreaterThan(covered);
    covered = to;
  }
  expect(text.slice(covered).trim()).toBe('');
}

describe('recursive chunking by characters', () => {
  it('splits by the first separator and joins the pieces again up to the size', () => {
    expect(chunksOf('aaa bbb\n\nccc ddd\n\neee', { chunkSize: 16 })).toEqual(['aaa bbb\n\n', 'ccc ddd\n\neee']);
  });

  it('splits only pieces that are too long by the next separator', () => {
    expect(chunksOf('one two three four\n\nfive', { chunkSize: 10 })).toEqual(['one two ', 'three ', 'four\n\nfive']);
  });

  it('puts the separator where the strategy says', () => {
    const over = { chunkSize: 4, separators: [','] };
    expect(chunksOf('aaa,bbb,ccc', { ...over, keepStrategy: 'KEEP_END' })).toEqual(['aaa,', 'bbb,', 'ccc']);
    expect(chunksOf('aaa,bbb,ccc', { ...over, keepStrategy: 'KEEP_START' })).toEqual(['aaa', ',bbb', ',ccc']);
  });

  it('repeats whole pieces from the end of the previous chunk', () => {
    expect(chunksOf('aa bb cc dd ee', { chunkSize: 9, chunkOverlap: 4, separators: [' '] })).toEqual([
      'aa bb cc ',
      'cc dd ee',
    ]);
    expect(chunksOf('aa bb cc dd', { chunkSize: 6, chunkOverlap: 2, separators: [' '] })).toEqual(['aa bb ', 'cc dd']);
  });

  it('cuts between characters when no separator fits', () => {
    expect(chunksOf('abcdefgh', { chunkSize: 3, separators: ['|'] })).toEqual(['abc', 'def', 'gh']);
    expect(chunksOf('abcdefgh', { chunkSize: 4, chunkOverlap: 2 })).toEqual(['abcd', 'cdef', 'efgh']);
  });

  it('uses separators as patterns on request, also zero-width ones', () => {
    const over = { chunkSize: 8, separatorIsRegex: true };
    expect(chunksOf('Chapter 1. Chapter 22. x', { ...over, chunkSize: 13, separators: ['(?=Chapter)'] })).toEqual([
      'Chapter 1. ',
      'Chapter 22. x',
    ]);
    expect(chunksOf('a12b3456c789', { ...over, chunkSize: 5, separators: ['\\d+'] })).toEqual(['a12', 'b3456', 'c789']);
    expect(chunksOf('a1b', { ...over, chunkSize: 2, separators: ['.'] })).toEqual(['a1', 'b']);
  });

  it('keeps both halves of a CRLF together', () => {
    expect(chunksOf('ab\r\ncd', { chunkSize: 4, separators: ['\n'], keepStrategy: 'KEEP_START' })).toEqual([
      'ab\r\n',
      'cd',
    ]);
  });

  it('never splits a surrogate pair, not even at half of one', () => {
    expect(chunksOf('😀😀', { chunkSize: 1, separators: ['\ud83d', '\ude00'] })).toEqual(['😀', '😀']);
  });

  it('drops chunks of white space only', () => {
    expect(chunksOf('ab    \n\n    cd', { chunkSize: 2 })).toEqual(['ab', 'cd']);
    expect(chunksOf(' \n\t ', {})).toEqual([]);
    expect(chunksOf('', {})).toEqual([]);
  });

  it('cuts a character that is longer than a chunk between its code points', () => {
    expect(chunksOf('👩‍👩‍👧‍👦', { chunkSize: 3 })).toEqual(['👩‍👩', '‍👧‍', '👦']);
  });

  it('respects the size, slices exactly, loses nothing and splits no character', () => {
    fc.assert(
      fc.property(hardText, sizes, (text, { chunkSize, overlapShare, keepStrategy, separators }) => {
        const chunkOverlap = Math.floor(chunkSize * overlapShare);
        const config = recursive({ chunkSize, chunkOverlap, keepStrategy, separators });
        const spans = chunkText(text, config);
        expectExactSlices(text, spans);
        expectCovered(text, spans);
        for (const { start, end } of spans) expect(end - start).toBeLessThanOrEqual(chunkSize);
        for (const [index, span] of spans.slice(1).entries()) {
          expect(Math.max(0, (spans[index]?.end ?? 0) - span.start)).toBeLessThanOrEqual(chunkOverlap);
        }
        if (chunkSize >= longestGrapheme(text)) {
          const allowed = boundaries(text);
          for (const { from, to } of spans) expect([allowed.has(from), allowed.has(to)]).toEqual([true, true]);
        }
        expect(chunkText(text, config)).toEqual(spans);
      }),
      { numRuns: 1500 },
    );
  });

  it('joins to the text without overlap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 20, max: 50 }),
        (words, chunkSize) => {
          const text = words.replace(/\s/g, 'x');
          expect(chunksOf(text, { chunkSize }).join('')).toBe(text);
        },
      ),
    );
  });

  it('repeats as many whole pieces as the overlap and the size allow', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 9, max: 40 }),
        fc.integer({ min: 0, max: 8 }),
        (list, chunkSize, chunkOverlap) => {
          const pieces = list.map((word) => `${word} `);
          const expected: string[][] = [];
          let open: string[] = [];
          for (const piece of pieces) {
            if (open.join('').length + piece.length > chunkSize) {
              expected.push(open);
              while (open.join('').length > chunkOverlap || open.join('').length + piece.length > chunkSize)
                open = open.slice(1);
            }
            open = [...open, piece];
          }
          expected.push(open);
          const found = chunksOf(pieces.join(''), { chunkSize, chunkOverlap, separators: [' '] });
          expect(found).toEqual(expected.map((chunk) => chunk.join('')));
        },
      ),
    );
  });
});

describe('recursive chunking by tokens', () => {
  it('fills chunks nearly and never beyond the limit', () => {
    const text = 'The quick brown fox jumps over the lazy dog near the river bank. '.repeat(60);
    const chunks = chunksOf(text, { chunkSize: 50, lengthMeasurement: 'TOKEN_COUNT' });
    for (const chunk of chunks) expect(countTokens(chunk)).toBeLessThanOrEqual(50);
    for (const chunk of chunks.slice(0, -1)) expect(countTokens(chunk)).toBeGreaterThan(44);
    expect(chunks.join('')).toBe(text);
  });

  it('respects the limit by the count of the encoding, overlap included', () => {
    fc.assert(
      fc.property(hardText, sizes, (text, { chunkSize, overlapShare, keepStrategy, separators }) => {
        const limit = chunkSize + 12;
        const chunkOverlap = Math.floor(chunkSize * overlapShare);
        const config = recursive({
          chunkSize: limit,
          chunkOverlap,
          keepStrategy,
          separators,
          lengthMeasurement: 'TOKEN_COUNT',
        });
        const spans = chunkText(text, config, { countTokens: counter });
        expectExactSlices(text, spans);
        expectCovered(text, spans);
        const plain = { disallowedSpecial: new Set<string>() };
        for (const { from, to } of spans) expect(countTokens(text.slice(from, to), plain)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 400 },
    );
  });

  it('treats control tokens in the text as text', () => {
    expect(chunksOf('<|endoftext|>', { lengthMeasurement: 'TOKEN_COUNT' })).toEqual(['<|endoftext|>']);
  });

  it('counts like the encoding, and long runs of one letter without delay', () => {
    const property = fc.property(hardText, (text) => {
      expect(counter(text)).toBe(countTokens(text, { disallowedSpecial: new Set() }));
    });
    fc.assert(property);
    const alphabets = fc.constantFrom('ab', 'aeiou', 'ACGT', '=-_', 'абвгд', '中文字符').map((letters) => [...letters]);
    const runs = alphabets.chain((letters) =>
      fc.array(fc.constantFrom(...letters), { minLength: 900, maxLength: 3000 }),
    );
    const bound = fc.property(runs, (letters) => {
      expect(counter(letters.join(''))).toBeGreaterThanOrEqual(countTokens(letters.join('')));
    });
    fc.assert(bound, { numRuns: 60 });
    const chunks = chunksOf('a'.repeat(1_000_000), { chunkSize: 1000, lengthMeasurement: 'TOKEN_COUNT' });
    expect(chunks.join('')).toHaveLength(1_000_000);
  });
});

describe('no chunking', () => {
  it('keeps the content as one chunk', () => {
    expect(chunkText('a😀b', { none: {} })).toEqual([{ start: 0, end: 3, from: 0, to: 4 }]);
    expect(chunkText(' \n', { none: {} })).toEqual([]);
  });
});
