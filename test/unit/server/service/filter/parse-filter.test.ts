import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../../../../src/server/service/filter/parse-filter.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';

function failure(text: string): { message: string; details: string } {
  try {
    parseFilter(text, 'spaceKeys[0].filter');
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT') {
      return { message: error.message, details: error.details };
    }
    throw error;
  }
  throw new Error('the filter was accepted');
}

/** The filter, line, column, problem. */
type Failure = [string, number, number, string];

function refused(cases: Failure[]): void {
  test.each(cases)('%j fails at line %i, column %i: %s', (text, line, column, problem) => {
    expect(failure(text)).toEqual({
      message: `Invalid filter: Parse error at line ${line}, column ${column}`,
      details: `spaceKeys[0].filter: ${problem}`,
    });
  });
}

const accepted = (filter: string) => expect(parseFilter(filter, 'filter')).toBeDefined();

describe('blank text', () => {
  test.each(['', ' ', '\t\r\n '])('%j is no filter', (text) => {
    expect(parseFilter(text, 'filter')).toBeUndefined();
  });
});

describe('accepted filters', () => {
  test.each([
    'TRUE',
    'fAlSe or tRuE aNd nOt NuLl',
    "VAL('$.a') = 'x'",
    "Field('createdAt') > NOW()",
    '1=1--comment\r\nAND 2==2 -- another',
    '1 <> 2 AND 1 != 2 AND 1 < 2 AND 1 <= 2 AND 2 > 1 AND 2 >= 1',
    '1=1AND 2=2',
    '(1 = 1) = (2 = 2)',
    "val('$.a') not like 'x' and val('$.a') Not In ('a') and 1 NOT BETWEEN 2 AND 3",
    "val('$.between') between 1 and 2 and val('$.and') between 3 and 4",
    "val('$.a') IS NULL AND val('$.b') IS NOT NULL",
    '1.5e3 = 1500 AND 1E+3 = 1000 AND 10e-1 = 001',
    "''''= '\\'' AND '\\\\' = '\\\\' || ''",
    'exists(\'$.*[*].a[0]."b c"\')',
    "coalesce('a') = 'a'",
    "[] CONTAINS [] AND [1] OVERLAPS [1, 'a', true, NULL]",
    "'a' IN [] AND 'a' IN ('a', NULL) AND 'a' IN (['a'])",
    "val('$.a')[0][12] = 'x'",
    "CAST(val('$.a') AS integer) = 1",
    'EXTRACT(epoch FROM now()) > 0',
    "field('createdAt') > '2026-01-01T10:00Z'",
    "CURRENT_DATE - '2026-01-01' > 3 AND CURRENT_DATE + 1 > now()",
    'false < true',
  ])('%s', (filter) => accepted(filter));

  test('white space and line ends of any kind', () => accepted('1\t=\r\n\f\v1\rAND\n true'));

  test('keywords as paths, fields as strings', () => {
    accepted("val('$.select.and.or.not') = 'field' AND exists('$.val')");
  });
});

describe('syntax errors', () => {
  refused([
    ["lower('abcde'", 1, 14, 'expected ")" but found end of text'],
    ['1 =', 1, 4, 'expected a value but found end of text'],
    ['= 1', 1, 1, 'expected a value but found "="'],
    ['AND', 1, 1, 'expected a value but found "AND"'],
    ['1 = 1 AND', 1, 10, 'expected a value but found end of text'],
    ['1 = 1 2', 1, 7, 'expected an operator or end of text but found 2'],
    ['1 = 1 = 1', 1, 7, 'expected an operator or end of text but found "="'],
    ['1 = 1)', 1, 6, 'expected an operator or end of text but found ")"'],
    ["1 = 1 'abc'", 1, 7, "expected an operator or end of text but found 'abc'"],
    ['(1 = 1', 1, 7, 'expected ")" but found end of text'],
    [
      'color = 1',
      1,
      1,
      `expected a value but found "color" (read metadata with val('$.name') and write text in single quotes)`,
    ],
    [
      '1 = 1\nAND größe',
      2,
      5,
      `expected a value but found "größe" (read metadata with val('$.name') and write text in single quotes)`,
    ],
    ['-- only a comment', 1, 18, 'expected a value but found end of text'],
    ["'😀' = 😀", 1, 7, 'unexpected character "😀"'],
    ['"a" = 1', 1, 1, 'write text in single quotes'],
    ['1 = 1 ; drop table memory', 1, 7, 'unexpected character ";"'],
    ['1 = \u0000', 1, 5, 'unexpected control character U+0000'],
    ["'abc", 1, 5, `expected "'" but found end of text`],
    ["'abc\\'", 1, 7, `expected "'" but found end of text`],
    ["'a\nb' = 'x'", 1, 3, 'a string may not contain a raw control character (write \\n, \\r or \\t)'],
    ["'a\u007f'", 1, 3, 'a string may not contain a raw control character (write \\n, \\r or \\t)'],
    ['1.', 1, 2, 'unexpected character "."'],
    ['1 | 2', 1, 3, 'unexpected character "|"'],
    ["val('$.a') NOT = 1", 1, 16, 'expected LIKE, ILIKE, BETWEEN or IN after NOT but found "="'],
    ["val('$.a') IS 5", 1, 15, 'expected NULL or NOT NULL but found 5'],
    ["val('$.a') IS NOT 5", 1, 19, 'expected NULL but found 5'],
    ['1 BETWEEN 2 OR 3', 1, 13, 'expected AND but found "OR"'],
    ["'a' IN ()", 1, 9, 'expected a value but found ")"'],
    ["'a' IN ('a' 'b')", 1, 13, `expected "," or ")" but found 'b'`],
    ["'a' IN ['a'", 1, 12, 'expected "," or "]" but found end of text'],
    ["'a' IN ['a',]", 1, 13, 'expected a value but found "]"'],
    ['coalesce()', 1, 10, 'expected a value but found ")"'],
    ['coalesce(1, 2', 1, 14, 'expected "," or ")" but found end of text'],
    ['now', 1, 4, 'expected "(" but found end of text'],
    ['now(1)', 1, 5, 'expected ")" but found 1'],
    ['val($.a)', 1, 5, 'unexpected character "$"'],
    ['val(a)', 1, 5, 'expected a path in single quotes but found "a"'],
    ["CAST('1' NUMERIC)", 1, 10, 'expected AS but found "NUMERIC"'],
    [
      "CAST('1' AS FLOAT) = 1",
      1,
      13,
      'expected a type (TEXT, NUMERIC, INTEGER, BOOLEAN, DATE, TIMESTAMP) but found "FLOAT"',
    ],
    [
      'EXTRACT(EON FROM now()) = 1',
      1,
      9,
      'expected a part (YEAR, QUARTER, MONTH, WEEK, DAY, DOW, DOY, HOUR, MINUTE, SECOND, EPOCH) but found "EON"',
    ],
    ['EXTRACT(YEAR, now()) = 1', 1, 13, 'expected FROM but found ","'],
    ["val('$.a')[1.5] = 1", 1, 12, 'expected an index (digits) but found 1.5'],
    ["val('$.a')[*] = 1", 1, 12, 'expected an index (digits) but found "*"'],
    ['field(createdAt) > now()', 1, 7, `expected a field's name in single quotes but found "createdAt"`],
    [
      "field('created_at') > now()",
      1,
      7,
      "expected a field (createdAt, updatedAt, contentType, memoryId, processingStatus) but found 'created_at'",
    ],
    [
      "field('CREATEDAT') > now()",
      1,
      7,
      "expected a field (createdAt, updatedAt, contentType, memoryId, processingStatus) but found 'CREATEDAT'",
    ],
    [
      "field('constructor') = 'x'",
      1,
      7,
      "expected a field (createdAt, updatedAt, contentType, memoryId, processingStatus) but found 'constructor'",
    ],
    [
      'constructor = 1',
      1,
      1,
      `expected a value but found "constructor" (read metadata with val('$.name') and write text in single quotes)`,
    ],
  ]);
});

describe('paths', () => {
  refused([
    ["val('') = 'x'", 1, 6, 'expected "$" at the start of the path but found end of path'],
    ["val('a') = 'x'", 1, 6, 'expected "$" at the start of the path but found "a"'],
    ["val('$a') = 'x'", 1, 7, 'expected ".", "[" or end of path but found "a"'],
    ["val('$.') = 'x'", 1, 8, 'expected a member name, a name in double quotes or "*" but found end of path'],
    ["val('$..a') = 'x'", 1, 8, 'expected a member name, a name in double quotes or "*" but found "."'],
    ["val('$.a b') = 'x'", 1, 9, 'expected ".", "[" or end of path but found " "'],
    ["val('$.\"a') = 'x'", 1, 10, `expected '"' but found end of path`],
    ["val('$[]') = 'x'", 1, 8, 'expected an index or "*" but found "]"'],
    ["val('$[-1]') = 'x'", 1, 8, 'expected an index or "*" but found "-"'],
    ["val('$[12') = 'x'", 1, 10, 'expected "]" but found end of path'],
    ["val('$.a[*]') = 'x'", 1, 9, 'the path of val cannot have a wildcard (that of exists can)'],
    ["val('$.*') = 'x'", 1, 7, 'the path of val cannot have a wildcard (that of exists can)'],
    ["exists('$.\"''\".?')", 1, 16, 'expected a member name, a name in double quotes or "*" but found "?"'],
    [`exists('$${'.a'.repeat(101)}')`, 1, 210, 'a path may have at most 100 steps'],
  ]);
});

describe('type errors', () => {
  refused([
    ["'a' + 1", 1, 1, '"+" takes NUMERIC but found TEXT'],
    ["1 + 'a' = 2", 1, 5, '"+" takes NUMERIC but found TEXT'],
    ["'a' = 1", 1, 7, 'cannot compare TEXT with NUMERIC'],
    ["val('$.a') = 1 AND 'a' > true", 1, 26, 'cannot compare TEXT with BOOLEAN'],
    ["CURRENT_DATE = 'x'", 1, 16, 'cannot compare DATE with TEXT'],
    ["CURRENT_DATE = '2026-02-30'", 1, 16, 'cannot compare DATE with TEXT'],
    ["'x' < now()", 1, 1, 'cannot compare TIMESTAMP with TEXT'],
    ['now() > 5', 1, 9, 'cannot compare TIMESTAMP with NUMERIC'],
    ["1 BETWEEN 0 AND 'x'", 1, 17, 'cannot compare NUMERIC with TEXT'],
    ["1 IN (1, 'x')", 1, 10, 'cannot compare NUMERIC with TEXT'],
    ["1 LIKE 'x'", 1, 1, 'LIKE takes TEXT but found NUMERIC'],
    ["'x' NOT ILIKE 5", 1, 15, 'ILIKE takes TEXT but found NUMERIC'],
    ["'a' || 1 = 'a1'", 1, 8, '"||" takes TEXT but found NUMERIC'],
    ['lower(1) = 1', 1, 7, 'lower takes TEXT but found NUMERIC'],
    ['length(true) = 1', 1, 8, 'length takes TEXT but found BOOLEAN'],
    ["coalesce(1, 'a') = 1", 1, 13, 'cannot coalesce NUMERIC with TEXT'],
    ["EXTRACT(YEAR FROM 'x') = 1", 1, 19, 'EXTRACT takes TIMESTAMP but found TEXT'],
    ['CAST(1 AS TEXT) = 1', 1, 6, 'cannot cast NUMERIC to TEXT'],
    ['CAST([1] AS TEXT) = 1', 1, 6, 'cannot cast an array to TEXT'],
    ['CAST(true AS NUMERIC) = 1', 1, 6, 'cannot cast BOOLEAN to NUMERIC'],
    ["-'a' = 1", 1, 2, '"-" takes NUMERIC but found TEXT'],
    ['now() - now() > 1', 1, 7, 'cannot subtract TIMESTAMP from TIMESTAMP'],
    ['5 - CURRENT_DATE > 1', 1, 3, 'cannot subtract DATE from NUMERIC'],
    ['CURRENT_DATE + CURRENT_DATE > 1', 1, 14, 'cannot add DATE to DATE'],
    ["CURRENT_DATE + 'a' > 1", 1, 14, 'cannot add TEXT to DATE'],
    ['CURRENT_DATE * 2 > 1', 1, 1, '"*" takes NUMERIC but found DATE'],
    ["'a' CONTAINS 'a'", 1, 1, 'CONTAINS needs an array on its left side but found TEXT'],
    ["val('$.a') OVERLAPS 'a'", 1, 21, 'OVERLAPS needs an array on its right side but found TEXT'],
    ["'a' IN 'b'", 1, 8, 'IN needs an array on its right side but found TEXT'],
    ["'a' IN coalesce(val('$.a'))", 1, 8, 'IN needs an array on its right side but found TEXT'],
    ['[1] CONTAINS now()', 1, 14, 'CONTAINS takes TEXT, NUMERIC or BOOLEAN elements but found TIMESTAMP'],
    ['[[1]] CONTAINS 1', 1, 2, 'an array takes TEXT, NUMERIC or BOOLEAN elements but found an array'],
    ['[1] = [1]', 1, 1, 'cannot compare TEXT with an array'],
    ['[1] IS NULL', 1, 1, 'IS NULL takes a single value but found an array'],
    ["'a'[0] = 'a'", 1, 4, 'only val(…) and arrays can be indexed but found TEXT'],
    ['5', 1, 1, 'a filter takes BOOLEAN but found NUMERIC'],
    ["'true'", 1, 1, 'a filter takes BOOLEAN but found TEXT'],
    ["val('$.a')", 1, 1, 'a filter must be BOOLEAN but an uncast value is TEXT (use CAST(… AS BOOLEAN))'],
    ['NOT 5', 1, 5, 'NOT takes BOOLEAN but found NUMERIC'],
    ["true AND 'x'", 1, 10, 'AND takes BOOLEAN but found TEXT'],
    ['5 OR true', 1, 1, 'OR takes BOOLEAN but found NUMERIC'],
  ]);
});

describe('limits', () => {
  const nested = (open: string, times: number, close = '') => `${open.repeat(times)}true${close.repeat(times)}`;

  test('100 levels are accepted', () => {
    accepted(nested('NOT ', 100));
    accepted(nested('(', 100, ')'));
    accepted(`${'- '.repeat(99)}1 = 1`);
  });

  test.each([
    [nested('NOT ', 101), 401],
    [nested('(', 101, ')'), 101],
    [nested('(', 4000, ')'), 101],
    [nested('NOT ', 2400), 401],
    [`${'- '.repeat(4000)}1 = 1`, 201],
    [`${'['.repeat(4000)}1`, 101],
    [`${'lower('.repeat(1600)}`, 601],
    [`${'coalesce('.repeat(1100)}`, 901],
    [`${'1 IN ('.repeat(1600)}`, 606],
    [`${'1 IN '.repeat(1900)}`, 6],
  ])('deeper nesting is refused: %.20s…', (text, column) => {
    expect(failure(text).message).toBe(`Invalid filter: Parse error at line 1, column ${column}`);
  });

  test('a long product is a deep expression', () => {
    accepted(`1${'*1'.repeat(99)} = 1`);
    expect(failure(`1${'*1'.repeat(100)} = 1`).details).toBe('spaceKeys[0].filter: nested deeper than 100 levels');
  });

  test('chains of AND, OR, sums and || are flat', () => {
    accepted(`true${' AND true'.repeat(1000)}`);
    accepted(`true${' OR true'.repeat(1000)}`);
    accepted(`1${'+1-1'.repeat(2000)} = 1`);
    accepted(`''${`||''`.repeat(2000)} = ''`);
  });

  test('10000 characters, counted as code points', () => {
    accepted(`'${'😀'.repeat(9995)}'=''`);
    expect(failure(`'${'😀'.repeat(9996)}'=''`)).toEqual({
      message: 'Invalid filter: Parse error at line 1, column 10001',
      details: 'spaceKeys[0].filter: a filter may have at most 10000 characters',
    });
  });

  test.each([
    [`val('$.a') = 'x'${` OR val('$.a') = 'x'`.repeat(300)}`, 301],
    [`val('$.a') = 1${` OR val('$.a') = 1`.repeat(100)}`, 303],
    [`CAST(val('$.a') AS DATE) = CURRENT_DATE${` OR CAST(val('$.a') AS DATE) = CURRENT_DATE`.repeat(60)}`, 305],
    [`val('$.a')${`||val('$.a')`.repeat(700)} = 'x'`, 2103],
    [`val('$.n')${` * val('$.n')`.repeat(90)} > 0`, 453],
    [`lower(${`val('$.a')||`.repeat(99)}val('$.a')) = 'x'`, 301],
    [`'x' IN (${`val('$.a'),`.repeat(300)}val('$.a'))`, 301],
    [`exists('$${'[*]'.repeat(75)}')`, 301],
    [`val('$.a') LIKE '${'%a'.repeat(4000)}' OR val('$.n')${` * val('$.n')`.repeat(50)} > 0`, 334],
  ])('the cost of a memory: %.50s…', (filter, cost) => {
    const problem = `the filter is too expensive: it takes ${cost} steps for each memory, and at most 300 are allowed`;
    expect(failure(filter)).toEqual({
      message: 'Invalid filter: Parse error at line 1, column 1',
      details: `spaceKeys[0].filter: ${problem} (a list after IN is one step, however long)`,
    });
  });

  test('300 steps are the most: one more is refused', () => {
    const ofSteps = (steps: number) => `val('$.a') = 'x'${` OR val('$.a') = 'x'`.repeat(steps - 1)}`;
    accepted(ofSteps(300));
    expect(failure(ofSteps(301)).details).toContain('it takes 301 steps for each memory, and at most 300 are allowed');
    const numbers = (reads: number) =>
      `CAST(val('$.n') AS NUMERIC) = 1${` OR CAST(val('$.n') AS NUMERIC) = 1`.repeat(reads - 1)}`;
    accepted(numbers(100));
    expect(failure(`${numbers(100)} OR val('$.a') = 'x'`).details).toContain('it takes 301 steps');
  });

  test('constant expressions cost nothing', () => {
    const words = Array.from({ length: 900 }, (_, index) => `'w${index}'`).join(',');
    accepted(`val('$.a') IN (${words}) AND val('$.a') = ''${`||'x'`.repeat(400)}`);
    accepted(`val('$.a') = 'x'${` OR val('$.a') = 'x'`.repeat(299)}`);
    accepted(`field('createdAt') > now()${' - 1'.repeat(90)}`);
  });

  test('1000 items of a list', () => {
    const items = (count: number) => Array(count).fill('1').join(',');
    accepted(`1 IN (${items(1000)}) AND 1 IN [${items(1000)}] AND coalesce(${items(1000)}) = 1`);
    expect(failure(`1 IN (${items(1001)})`)).toEqual({
      message: 'Invalid filter: Parse error at line 1, column 2007',
      details: 'spaceKeys[0].filter: a list may have at most 1000 items',
    });
    expect(failure(`1 IN [${items(1001)}]`).details).toContain('at most 1000 items');
    expect(failure(`coalesce(${items(1001)}) = 1`).details).toContain('at most 1000 items');
  });

  test('numbers', () => {
    accepted(`1e499 > 0 AND 1e-500 > 0 AND 0e99999999999 = 0 AND ${'0'.repeat(2000)}1 = 1`);
    for (const numeral of ['1e500', '1e999999999999', `1${'0'.repeat(500)}`, '1e-501', `0.${'0'.repeat(500)}1`]) {
      expect(failure(`${numeral} > 0`).details).toContain('a number may have at most 500 digits');
    }
  });
});
