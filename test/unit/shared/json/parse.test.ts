import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../src/shared/errors.ts';
import { locateJsonError } from '../../../../src/shared/json/locate.ts';
import { parseJsonBody, parseJsonText } from '../../../../src/shared/json/parse.ts';

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
  test('an empty body is no value', () => {
    expect(parseJsonBody(new Uint8Array())).toBeUndefined();
    expect(parseJsonBody(Buffer.from('\ufeff'))).toBeUndefined();
  });
  test('a byte order mark is skipped', () => {
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

describe('positions of syntax errors', () => {
  test.each([
    ['', 'unexpected end of text at line 1, column 1 (expected a value)'],
    ['  ', 'unexpected end of text at line 1, column 3 (expected a value)'],
    ['{"a":\n  x}', 'unexpected character at line 2, column 3 (expected a value)'],
    ['{"a":1,}', 'unexpected character at line 1, column 8 (expected a name in double quotes)'],
    ['{"a" 1}', 'unexpected character at line 1, column 6 (expected ":")'],
    ['{a:1}', 'unexpected character at line 1, column 2 (expected a name in double quotes or "}")'],
    ['[1 2]', 'unexpected character at line 1, column 4 (expected "," or the closing bracket)'],
    ['[1,', 'unexpected end of text at line 1, column 4 (expected a value)'],
    ['[1}', 'unexpected character at line 1, column 3 (expected "," or the closing bracket)'],
    ['[01]', 'unexpected character at line 1, column 3 (expected "," or the closing bracket)'],
    ['["a', 'unexpected character at line 1, column 2 (expected a value or "]")'],
    ['["a\nb"]', 'unexpected character at line 1, column 2 (expected a value or "]")'],
    ['{} {}', 'unexpected character at line 1, column 4 (expected the end of the text)'],
    ["{'a':1}", 'unexpected character at line 1, column 2 (expected a name in double quotes or "}")'],
    ['NaN', 'unexpected character at line 1, column 1 (expected a value)'],
  ])('%j', (text, where) => {
    const error = failure(() => parseJsonText(text));
    expect([error.code, error.message]).toEqual(['INVALID_REQUEST', `Invalid JSON: ${where}`]);
  });
  test('no text of the body is quoted', () => {
    expect(failure(() => parseJsonText('{"apiKey":svc_secret}')).message).not.toContain('svc_secret');
  });
  test('long text is not scanned for the position', () => {
    expect(failure(() => parseJsonText(`["${'1,'.repeat(600_000)}"`)).message).toBe(
      'Invalid JSON: the text does not parse',
    );
  });
  test('the scanner accepts what JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(locateJsonError(text)).toContain('(expected the end of the text)');
      }),
    );
  });
  test('and stops within any text that JSON.parse refuses', () => {
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
          locateJsonError(text).startsWith('unexpected end') && locateJsonError(text).includes('end of the text)');
        expect(complete).toBe(sound);
      }),
      { numRuns: 500 },
    );
  });
});

describe('memory limits', () => {
  const limit = (text: string) => {
    const { code, message, details } = failure(() => parseJsonText(text));
    return `${code} ${message} (${details})`;
  };
  const TOO_MANY =
    'PAYLOAD_TOO_LARGE The request body contains more values than the server accepts (at most 250000 JSON values)';
  test.each([
    ['zeros', `[${'0,'.repeat(250_000)}0]`],
    ['members', `{${Array.from({ length: 250_001 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['empty objects', `[${'{},'.repeat(125_001)}{}]`],
    ['no JSON', '{},'.repeat(200_000)],
  ])('%s are refused by their number', (_name, text) => {
    expect(limit(text)).toBe(TOO_MANY);
  });
  test('content of strings does not count', () => {
    const text = `{"a":"${'[{,:'.repeat(300_000)}","b\\\\":"\\"[[[[","c":"\\\\"}`;
    expect(parseJsonText(text)).toEqual(JSON.parse(text));
    expect(parseJsonText(`[${'0,'.repeat(249_000)}0]`)).toHaveLength(249_001);
  });
  test('too deep nesting is refused', () => {
    expect(limit(`${'['.repeat(129)}${']'.repeat(129)}`)).toBe(
      'INVALID_REQUEST Invalid JSON: nested deeper than 128 levels ()',
    );
    expect(limit('{"a":'.repeat(1_000_000))).toContain('nested deeper');
    expect(parseJsonText(`${'['.repeat(128)}${']'.repeat(128)}`)).toBeDefined();
    expect(parseJsonText(`[${'[],'.repeat(1000)}1]`)).toHaveLength(1001);
  });
});

describe('values that JSON.parse would lose', () => {
  test('integers beyond 2^53 keep their digits', () => {
    expect(parseJsonText('[9007199254740992,9007199254740993,-9007199254740993]')).toEqual([
      2 ** 53,
      9007199254740993n,
      -9007199254740993n,
    ]);
    expect(parseJsonText('{"a":["12345678901234567890",12345678901234567890.0,1e30]}')).toEqual({
      a: ['12345678901234567890', Number('12345678901234567890'), 1e30],
    });
    expect(parseJsonText(`[${'9'.repeat(400)}]`)).toEqual([Number.POSITIVE_INFINITY]);
  });
  test.each([
    '{12345678901234567:1}',
    '[012345678901234567]',
    '12345678901234567x',
    '--12345678901234567',
    '"a"12345678901234567',
  ])('and make no invalid text valid: %s', (text) => {
    expect(failure(() => parseJsonText(text)).message).toMatch(/^Invalid JSON: unexpected character/);
  });
  test.each([
    ['{"a":1,\n "a":2}', 'line 2, column 2'],
    ['[{"a":{"b":1}},{"c":[{"b":1,"\\u0062":2}]}]', 'line 1, column 29'],
    ['{"__proto__":1,"__proto__":2}', 'line 1, column 16'],
    ['{"a":"a","b":{"a":1},"a":null}', 'line 1, column 22'],
  ])('a duplicate member is refused: %s', (text, place) => {
    const error = failure(() => parseJsonText(text));
    expect([error.code, error.message]).toEqual([
      'INVALID_REQUEST',
      `Invalid JSON: an object names a member twice, at ${place}`,
    ]);
  });
  test('the scan agrees with JSON.parse on everything else', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const rounded = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
        const read = JSON.parse(JSON.stringify({ '': parseJsonText(text) }, rounded)) as unknown;
        expect(read).toEqual({ '': JSON.parse(text) });
      }),
    );
  });
});
