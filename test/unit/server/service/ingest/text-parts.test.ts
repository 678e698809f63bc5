import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkBatches } from '../../../../../src/server/service/ingest/chunk-batches.ts';
import { textParts } from '../../../../../src/server/service/ingest/text-parts.ts';
import { packChunks } from '../../../../../src/server/workers/prepared-content.ts';
import { codePoint } from '../../../../support/code-point.ts';

const codePoints = (text: string) => [...text].length;

describe('text parts', () => {
  test('an empty text is one empty part', () => {
    expect([...textParts(new Uint8Array())]).toEqual([{ part: 0, startOffset: 0, data: Buffer.alloc(0) }]);
  });

  test('parts are whole code points within the limit, and join to the text', () => {
    const texts = fc.string({ unit: codePoint, maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 20 }), (text, maxBytes) => {
        const parts = [...textParts(new TextEncoder().encode(text), maxBytes)];
        const strings = parts.map(({ data }) =>
          new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data),
        );
        expect(strings.join('')).toBe(text);
        let offset = 0;
        for (const [index, { part, startOffset, data }] of parts.entries()) {
          expect([part, startOffset]).toEqual([index, offset]);
          expect(data.length).toBeLessThanOrEqual(maxBytes);
          offset += codePoints(strings[index] ?? '');
        }
      }),
    );
  });
});

describe('chunk batches', () => {
  const spans = (count: number, size: number) =>
    Array.from({ length: count }, (_, index) => {
      const [from, to] = [index * size, (index + 1) * size];
      return { start: from, end: to, from, to };
    });

  test('a text without chunks has one empty batch, which is the last', () => {
    expect([...chunkBatches(packChunks('', [], true), 3)]).toEqual([{ firstSequence: 0, chunks: [], isLast: true }]);
  });

  test('batches are consecutive and only the last is marked as such', () => {
    const content = packChunks('abcdefghij', spans(10, 1), true);
    const batches = [...chunkBatches(content, 4)];
    expect(batches.map(({ firstSequence, isLast }) => [firstSequence, isLast])).toEqual([
      [0, false],
      [4, false],
      [8, true],
    ]);
    const chunks = batches.flatMap((batch) => batch.chunks);
    expect(chunks.map(({ text }) => text).join('')).toBe('abcdefghij');
    expect(new Set(chunks.map(({ chunkId }) => chunkId)).size).toBe(10);
  });

  test('a batch of large chunks holds fewer of them, and never none', () => {
    const size = 3_000_000;
    const content = packChunks('x'.repeat(3 * size), spans(3, size), true);
    expect([...chunkBatches(content, 256)].map(({ chunks }) => chunks.length)).toEqual([1, 1, 1]);
  });

  test('a chunk has the line of its document where it starts', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\r\n', '\n'), maxLength: 5 }));
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 7 }), (texts, size) => {
        const points = [...`${texts.join('\n')}\n.`];
        const count = Math.ceil(points.length / size);
        const content = packChunks(points.join(''), spans(count, size), true);
        const [batch] = chunkBatches(content, count + 1);
        const expected = Array.from(
          { length: count },
          (_, at) =>
            points
              .slice(0, at * size)
              .join('')
              .split('\n').length,
        );
        expect(batch?.chunks.map(({ line }) => line)).toEqual(expected);
      }),
    );
  });

  test.each([
    ['the text has other lines than the document', 'a\nb', false],
    ['there is only one', 'ab\n', true],
  ])('and has no line where %s', (_, text, keepsLines) => {
    const [batch] = chunkBatches(packChunks(text, spans(3, 1), keepsLines), 3);
    expect(batch?.chunks.map(({ line }) => line)).toEqual([undefined, undefined, undefined]);
  });
});
