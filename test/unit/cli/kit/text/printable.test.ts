import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { bytesText } from '../../../../../src/cli/kit/text/figures.ts';
import { cut, cutStart, displayWidth, oneLine, severalLines, wrap } from '../../../../../src/cli/kit/text/printable.ts';

describe('text from the server', () => {
  test('loses its control characters', () => {
    expect(oneLine('a\u001b]0;x\u0007b\r\nc\u009bd')).toBe('a ]0;x b c d');
    expect(severalLines('a\r\nb\u001b[2Jc\td')).toBe('a\nb[2Jc\td');
  });
  test('is measured in columns', () => {
    expect([
      displayWidth('abc'),
      displayWidth('日本'),
      displayWidth('e\u0301'),
      displayWidth('👩‍👩‍👧'),
      displayWidth('ü…'),
      displayWidth('䷀🇩🇪1️⃣'),
      displayWidth('🌡☂'),
      displayWidth('✌🏽👍🏽'),
    ]).toEqual([3, 4, 1, 2, 2, 6, 2, 4]);
    expect(cut('日本語テキスト', 7)).toBe('日本語…');
    expect(cut('short', 5)).toBe('short');
    expect([cut('short', 1), cut('日本', 2), cut('日本', 3)]).toEqual(['…', '…', '日…']);
    expect([cutStart('short', 3), cutStart('日本', 2), cutStart('日本', 3)]).toEqual(['…rt', '…', '…本']);
    expect(wrap('one two  three fourfivesix\nseven', 7)).toEqual(['one two', 'three', 'fourfiv', 'esix', 'seven']);
    expect(wrap('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']);
    expect(wrap('日本', 1)).toEqual(['日', '本']);
  });
  test('is of one column a character where it says so without the library', () => {
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const visible = characters.filter((character) => !/[\p{Cc}\p{Cs}]/u.test(character));
    const wrong = visible.filter((character) => displayWidth(character) !== stringWidth(character));
    expect(wrong).toEqual([]);
  });
  test('sizes', () => {
    expect([0, 999, 1000, 999_949, 999_950, 12_345_678].map(bytesText)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '999.9 kB',
      '1.0 MB',
      '12.3 MB',
    ]);
  });
});
