import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { chunkText } from '../../../../../src/server/workers/chunk/chunk-text.ts';
import type { SentenceChunking } from '../../../../../src/server/workers/chunk/config.ts';
import { forEachSentence } from '../../../../../src/server/workers/chunk/sentence-segmenter.ts';
import { loadTokenCounter } from '../../../../../src/server/workers/chunk/token-counter.ts';
import { codePoint } from '../../../../support/code-point.ts';

const counter = await loadTokenCounter();
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function sentence(over: Partial<SentenceChunking>): { sentence: SentenceChunking } {
  return {
    sentence: {
      maxChunkSize: 40,
      minChunkSize: 0,
      enableLanguageDetection: false,
      lengthMeasurement: 'CHARACTER_COUNT',
      ...over,
    },
  };
}

function chunksOf(text: string, over: Partial<SentenceChunking>): string[] {
  return chunkText(text, sentence(over), { countTokens: counter }).map(({ from, to }) => text.slice(from, to));
}

function sentencesOf(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  forEachSentence(text, (end) => {
    found.push(text.slice(start, end));
    start = end;
  });
  return found;
}

describe('sentences', () => {
  it('end where Unicode says', () => {
    expect(sentencesOf('One here. Two there! Three? 四は。五は。')).toEqual([
      'One here. ',
      'Two there! ',
      'Three? ',
      '四は。',
      '五は。',
    ]);
  });

  it('continue after abbreviations, initials and list counters', () => {
    for (const text of [
      'Dr. Smith met Mrs. Jones.',
      'J. R. Tolkien wrote it.',
      'See Fig. Two, e.g. Here.',
      '1. First thing',
    ]) {
      expect(sentencesOf(text)).toEqual([text]);
    }
    expect(sentencesOf('Das gilt z. B. Montags. Sonst nicht.')).toEqual(['Das gilt z. B. Montags. ', 'Sonst nicht.']);
  });

  it('continue over a wrapped line and end at blank lines, list items and headings', () => {
    expect(sentencesOf('A line that was\nwrapped here.')).toEqual(['A line that was\nwrapped here.']);
    expect(sentencesOf('First para\n\nsecond para')).toEqual(['First para\n\n', 'second para']);
    expect(sentencesOf('- one\n- two\n- three')).toEqual(['- one\n', '- two\n', '- three']);
    expect(sentencesOf('# Title\nlower text')).toEqual(['# Title\n', 'lower text']);
  });

  it('cover any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (text) => {
        expect(sentencesOf(text).join('')).toBe(text);
      }),
    );
    const long = 'word '.repeat(40_000);
    expect(sentencesOf(long).join('')).toBe(long);
    expect(sentencesOf(long).length).toBeLessThan(5);
  });
});

describe('sentence chunking', () => {
  it('joins whole sentences up to the maximum', () => {
    expect(chunksOf('One two three. Four five. Six seven eight nine ten. Eleven.', {})).toEqual([
      'One two three. Four five. ',
      'Six seven eight nine ten. Eleven.',
    ]);
  });

  it('keeps a heading with the next sentence', () => {
    expect(chunksOf('Some first sentence here. \n# Head\nThe text of it follows.', {})).toEqual([
      'Some first sentence here. \n',
      '# Head\nThe text of it follows.',
    ]);
  });

  it('cuts a sentence that is too long at words, then between characters', () => {
    expect(chunksOf('alpha beta gamma delta', { maxChunkSize: 12 })).toEqual(['alpha beta ', 'gamma delta']);
    expect(chunksOf('abcdefghij', { maxChunkSize: 4 })).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('cuts between words of scripts without spaces, and nowhere else while that is possible', () => {
    const text = '北京大学学生在图书馆学习'.repeat(100);
    const words = new Intl.Segmenter('und', { granularity: 'word' });
    const allowed = new Set([...Array.from(words.segment(text), ({ index }) => index), text.length]);
    const spans = chunkText(text, sentence({ maxChunkSize: 50 }));
    expect(spans.filter(({ to }) => !allowed.has(to))).toEqual([]);
    expect(chunksOf('x'.repeat(2000), { maxChunkSize: 700 }).map((chunk) => chunk.length)).toEqual([700, 700, 600]);
  });

  it('joins a chunk below the minimum with its neighbor when that fits', () => {
    const text = 'abcdefghijklm. Next one is it. ';
    expect(chunksOf(text, { maxChunkSize: 12 })).toEqual(['abcdefghijkl', 'm. ', 'Next one is ', 'it. ']);
    expect(chunksOf('aaaa bbbb cccc. Dd. Ee.', { maxChunkSize: 11, minChunkSize: 0 })).toEqual([
      'aaaa bbbb ',
      'cccc. ',
      'Dd. Ee.',
    ]);
    expect(chunksOf('aaaa bbbb cccc. Dd.', { maxChunkSize: 11, minChunkSize: 6 })).toEqual(['aaaa bbbb ', 'cccc. Dd.']);
  });

  it('respects the maximum, slices exactly, loses nothing and splits no character', () => {
    const parts = fc.constantFrom(
      'Word ',
      'it is. ',
      'Yes! ',
      '\n',
      '\n\n',
      '# H\n',
      '👩‍👩‍👧‍👦',
      'e\u0301',
      '🇩🇪',
      '中文。',
      'ไทย',
      'Dr. ',
      '1. ',
      '\r\n',
    );
    const texts = fc.array(fc.oneof(parts, fc.string({ unit: codePoint, maxLength: 5 })), { maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 60 }), fc.nat(12), fc.boolean(), (list, max, min, byTokens) => {
        const text = list.join('');
        const lengthMeasurement = byTokens ? 'TOKEN_COUNT' : 'CHARACTER_COUNT';
        const config = sentence({ maxChunkSize: max, minChunkSize: min, lengthMeasurement });
        const spans = chunkText(text, config, { countTokens: counter });
        const allowed = new Set([...Array.from(graphemes.segment(text), ({ index }) => index), text.length]);
        const points = [...text];
        let covered = 0;
        for (const { from, to, start, end } of spans) {
          const chunk = text.slice(from, to);
          expect(points.slice(start, end).join('')).toBe(chunk);
          expect(text.slice(covered, from).trim()).toBe('');
          const length = byTokens ? countTokens(chunk, { disallowedSpecial: new Set() }) : end - start;
          expect(length).toBeLessThanOrEqual(max);
          if (!byTokens) expect([allowed.has(from), allowed.has(to)]).toEqual([true, true]);
          covered = to;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});
