import { describe, expect, test } from 'vitest';
import { CHUNK_FLAGS, chunkingFromFlags } from '../../../../../src/cli/kit/flags/chunking.ts';
import { pairs, texts } from '../../../../../src/cli/kit/flags/kinds.ts';
import { durationMs, moment } from '../../../../../src/cli/kit/flags/time.ts';

test.each([
  ['500ms', 500],
  ['1.5s', 1500],
  ['2', 2000],
  ['5m', 300_000],
  ['72h', 259_200_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  ['', undefined],
  ['-1s', undefined],
  ['1 s', undefined],
  ['1y', undefined],
])('%j lasts %s ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test('a moment is a time or a duration from now', () => {
  const flag = moment('--expires <time>', '');
  expect(flag.read(['2027-01-01'])?.(0)).toBe(Date.UTC(2027, 0, 1));
  expect(flag.read(['1d'])?.(1000)).toBe(86_401_000);
  expect(flag.read([])).toBeUndefined();
  expect(() => flag.read(['soon'])).toThrow(
    '--expires must be a time such as 2027-01-01 or a duration such as 30d, got "soon"',
  );
});

test('pairs are split at the first equals sign', () => {
  expect(pairs('--label <k=v>', '').read(['a=b=c', 'd='])).toEqual({ a: 'b=c', d: '' });
  expect(pairs('--label <k=v>', '').read([])).toBeUndefined();
  expect(() => pairs('--label <k=v>', '').read(['=x'])).toThrow('--label must be written key=value');
  expect(texts('--x <y>', '').read(['1', '2'])).toEqual(['1', '2']);
});

describe('chunk flags', () => {
  const read = (given: Record<string, readonly string[]>) =>
    chunkingFromFlags(
      Object.fromEntries(Object.entries(CHUNK_FLAGS).map(([key, flag]) => [key, flag.read(given[key] ?? [])])) as never,
    );
  test('none given: nothing is sent', () => {
    expect(read({})).toBeUndefined();
  });
  test('sizes alone mean recursive', () => {
    expect(
      read({
        chunkSize: ['100'],
        chunkOverlap: ['10'],
        separator: ['\\n\\n', ' '],
        length: ['tokens'],
        keep: ['start'],
      }),
    ).toEqual({
      strategy: {
        case: 'recursive',
        value: { chunkSize: 100, chunkOverlap: 10, separators: ['\n\n', ' '], keepStrategy: 2, lengthMeasurement: 2 },
      },
    });
  });
  test('sentence and none', () => {
    expect(read({ chunking: ['sentence'], chunkSize: ['800'] })).toMatchObject({
      strategy: { case: 'sentence', value: { maxChunkSize: 800 } },
    });
    expect(read({ chunking: ['none'] })).toEqual({ strategy: { case: 'none', value: {} } });
    expect(() => read({ chunking: ['none'], chunkSize: ['1'] })).toThrow(
      'cannot be given together with other chunk flags',
    );
    expect(() => read({ chunking: ['sentence'], keep: ['end'] })).toThrow('belong to --chunking recursive');
  });
});
