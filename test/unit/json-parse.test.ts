import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/shared/errors.ts';
import { locateJsonError } from '../../src/shared/json/locate.ts';
import { parseJsonBody, parseJsonText } from '../../src/shared/json/parse.ts';

function failure(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('bodies', () => {
  test('nothing is no value', () => {
    expect(parseJsonBody(new Uint8Array())).toBeUndefined();
    expect(parseJsonBody(Buffer.from('\ufeff'))).toBeUndefined();
  });
  test('a byte order mark is passed over', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{"a":"é"}'))).toEqual({ a: 'é' });
    expect(parseJsonText('\ufeff1')).toBe(1);
  });
  test.each([[[0xff, 0x22]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
    'bytes %j are not UTF-8',
    (bytes) => {
      const error = failure(() => parseJsonBody(new Uint8Array(bytes)));
      expect([error.code, error.message, error.details]).toEqual([
        'INVALID_REQUEST',
        'Invalid JSON: the body is not UTF-8',
        '',
      ]);
    },
  );
});

describe('where text breaks', () => {
  test.each([
    ['', 'unexpected end of text at line 1, column 1 (expected value)'],
    ['  ', 'unexpected end of text at line 1, column 3 (expected value)'],
    ['{"a":\n  x}', 'unexpected character at line 2, column 3 (expected value)'],
    ['{"a":1,}', 'unexpected character at line 1, column 8 (expected name)'],
    ['{"a" 1}', 'unexpected character at line 1, column 6 (expected :)'],
    ['{a:1}', 'unexpected character at line 1, column 2 (expected name or })'],
    ['[1 2]', 'unexpected character at line 1, column 4 (expected , or closing bracket)'],
    ['[1,', 'unexpected end of text at line 1, column 4 (expected value)'],
    ['[1}', 'unexpected character at line 1, column 3 (expected , or closing bracket)'],
    ['[01]', 'unexpected character at line 1, column 3 (expected , or closing bracket)'],
    ['["a', 'unexpected character at line 1, column 2 (expected value or ])'],
    ['["a\nb"]', 'unexpected character at line 1, column 2 (expected value or ])'],
    ['{} {}', 'unexpected character at line 1, column 4 (expected end of text)'],
    ["{'a':1}", 'unexpected character at line 1, column 2 (expected name or })'],
    ['NaN', 'unexpected character at line 1, column 1 (expected value)'],
  ])('%j', (text, where) => {
    const error = failure(() => parseJsonText(text));
    expect([error.code, error.message]).toEqual(['INVALID_REQUEST', `Invalid JSON: ${where}`]);
  });
  test('nothing of the text is quoted', () => {
    expect(failure(() => parseJsonText('{"apiKey":svc_secret}')).message).not.toContain('svc_secret');
  });
  test('long text is not walked', () => {
    expect(failure(() => parseJsonText(`[${'1,'.repeat(600_000)}`)).message).toBe(
      'Invalid JSON: the text does not parse',
    );
  });
  test('the walk agrees with JSON.parse on what is sound', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(locateJsonError(text)).toContain('(expected end of text)');
      }),
    );
  });
  test('and it ends before the end of any text that JSON.parse refuses', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', 'x', '\\'))
      .map(([text, at, mark]) => {
        const position = at % (text.length + 1);
        return text.slice(0, position) + mark + text.slice(position + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let sound = true;
        try {
          JSON.parse(text);
        } catch {
          sound = false;
        }
        const complete =
          locateJsonError(text).startsWith('unexpected end') && locateJsonError(text).includes('end of text)');
        expect(complete).toBe(sound);
      }),
      { numRuns: 500 },
    );
  });
});
