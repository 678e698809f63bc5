import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codePointEnds,
  codePointLength,
  codePointsBetween,
  forEachGrapheme,
  isGraphemeBoundary,
  truncateCodePoints,
} from '../../../src/shared/text.ts';
import { codePoint } from '../../support/code-point.ts';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        'a',
        '🇩',
        '🇪',
        '👩',
        '\u200d',
        '❤',
        '\ufe0f',
        '\u0301',
        '\r',
        '\n',
        'क',
        '्',
        'ᄒ',
        'ᅡ',
        '한',
        '\u0600',
        '\u00ad',
      ),
    )
    .map((list) => list.join('')),
);

describe('code points', () => {
  it('are counted, cut and listed as iteration sees them', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.nat(20), (text, limit) => {
        const points = [...text];
        expect(codePointLength(text)).toBe(points.length);
        expect(truncateCodePoints(text, limit)).toBe(points.slice(0, limit).join(''));
        const ends = codePointEnds(text, 0, text.length);
        expect(ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))).toEqual(points);
        expect(codePointsBetween(text, ends[0] ?? 0, text.length)).toBe(Math.max(0, points.length - 1));
      }),
    );
  });

  it('count a lone surrogate as one', () => {
    expect(codePointLength('\ud83d')).toBe(1);
    expect(codePointLength('\ude00\ud83d\ude00')).toBe(2);
  });
});

describe('grapheme clusters', () => {
  it('end where the segmenter says', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = [...Array.from(graphemes.segment(text), ({ index }) => index), text.length].slice(1);
        const ends: number[] = [];
        forEachGrapheme(text, 0, text.length, (end) => ends.push(end));
        expect(ends).toEqual(text === '' ? [] : expected);
        const allowed = new Set([0, ...expected]);
        for (let at = 0; at <= text.length; at += 1) expect(isGraphemeBoundary(text, at)).toBe(allowed.has(at));
      }),
      { numRuns: 3000 },
    );
  });

  it('keep a cluster whole that is longer than any window', () => {
    const cluster = `a${'\u0301'.repeat(5000)}`;
    const ends: number[] = [];
    forEachGrapheme(`${cluster}b`, 0, cluster.length + 1, (end) => ends.push(end));
    expect(ends).toEqual([cluster.length, cluster.length + 1]);
  });
});
