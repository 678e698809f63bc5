import { describe, expect, test } from 'vitest';
import { useFilterRows } from './rows.fixture.ts';

const rows = useFilterRows();

/** The filter, the metadata (an object or JSON text), and what the filter says of it. */
type Case = [string, unknown, boolean | null];

function check(cases: Case[]): void {
  test.each(cases)('%s with %j is %s', async (filter, metadata, expected) => {
    expect(await rows.of({ metadata }, filter)).toBe(expected);
  });
}

describe('NULL', () => {
  check([
    [`val('$.a') = 'x'`, {}, null],
    [`NOT val('$.a') = 'x'`, {}, null],
    [`val('$.a') != 'x'`, { a: null }, null],
    [`val('$.a') = 'x'`, { a: { b: 1 } }, null],
    [`val('$.a') = 'x'`, { a: ['x'] }, null],
    [`val('$.a') = NULL`, { a: 'x' }, null],
    [`NULL`, {}, null],
    [`NOT NULL`, {}, null],
    [`NULL AND false`, {}, false],
    [`NULL AND true`, {}, null],
    [`NULL OR true`, {}, true],
    [`NULL OR false`, {}, null],
    [`NULL = NULL`, {}, null],
    [`val('$.a') IS NULL`, {}, true],
    [`val('$.a') IS NULL`, { a: null }, true],
    [`val('$.a') IS NULL`, { a: {} }, true],
    [`val('$.a') IS NULL`, { a: [1] }, true],
    [`val('$.a') IS NULL`, { a: 5 }, false],
    [`val('$.a') IS NOT NULL`, { a: false }, true],
    [`CAST(val('$.a') AS NUMERIC) IS NULL`, { a: 'five' }, true],
    [`(1 = NULL) IS NULL`, {}, true],
    [`coalesce(val('$.a'), val('$.b')) IS NULL`, { b: 0 }, false],
    [`field('createdAt') IS NULL`, {}, false],
    [`val('$.a') BETWEEN 1 AND NULL`, { a: 0 }, false],
    [`val('$.a') BETWEEN 1 AND NULL`, { a: 2 }, null],
    [`val('$.a') NOT BETWEEN 1 AND 3`, {}, null],
    [`val('$.a') IN ('x', NULL)`, { a: 'x' }, true],
    [`val('$.a') IN ('x', NULL)`, { a: 'y' }, null],
    [`val('$.a') NOT IN ('x', NULL)`, { a: 'y' }, null],
    [`val('$.a') NOT IN ('x', lower('Y'))`, { a: 'y' }, false],
    [`val('$.a') LIKE '%'`, {}, null],
    [`val('$.a') NOT LIKE 'x%'`, {}, null],
    [`val('$.a') || 'x' = 'x'`, {}, null],
    [`val('$.a') + 1 = 1`, {}, null],
    [`lower(val('$.a')) = ''`, {}, null],
    [`length(val('$.a')) = 0`, {}, null],
    [`EXTRACT(YEAR FROM val('$.a')) = 2026`, {}, null],
  ]);
});

describe('the type of an uncast value', () => {
  check([
    [`val('$.a') = 5`, { a: 5 }, true],
    [`5 <= val('$.a')`, { a: '5.0' }, true],
    [`val('$.a') = '5'`, { a: 5 }, null],
    [`val('$.a') = true`, { a: true }, true],
    [`val('$.a') = val('$.b')`, { a: 'x', b: 'x' }, true],
    [`val('$.a') = val('$.b')`, { a: 1, b: 1 }, null],
    [`val('$.a') + val('$.b') = 3`, { a: 1, b: '2' }, true],
    [`-val('$.a') = 3`, { a: -3 }, true],
    [`val('$.a') > now()`, { a: '2999-01-01' }, true],
    [`val('$.a') > CURRENT_DATE`, { a: '1999-01-01' }, false],
    [`val('$.a') BETWEEN '2026-01-01' AND CURRENT_DATE + 100000`, { a: '2026-06-01' }, true],
    [`val('$.a') IN (1, 2)`, { a: '2' }, true],
    [`val('$.a') IN (val('$.b'), 'z')`, { a: 'x', b: 'x' }, true],
    [`coalesce(val('$.a'), val('$.b')) = 7`, { a: 'seven', b: 7 }, true],
    [`coalesce(val('$.a'), 'none') = 'none'`, { a: 1 }, true],
    [`val('$.a') AND true`, { a: 'true' }, true],
    [`NOT val('$.a')`, { a: false }, true],
    [`val('$.a') - CURRENT_DATE < 0`, { a: '2000-01-01' }, true],
    [`now() - val('$.a') < now()`, { a: 0.5 }, true],
  ]);
});

describe('casts', () => {
  check([
    [`CAST(val('$.a') AS TEXT) = '5'`, { a: 5 }, null],
    [`CAST(val('$.a') AS TEXT) = 'true'`, { a: true }, null],
    [`CAST(val('$.a') AS NUMERIC) = 15`, { a: '1.5e1' }, true],
    [`CAST(val('$.a') AS NUMERIC) = -1`, { a: '-1' }, true],
    [`CAST(val('$.a') AS NUMERIC) = 1`, { a: ' 1' }, null],
    [`CAST(val('$.a') AS NUMERIC) = 1`, { a: '' }, null],
    [`CAST(val('$.a') AS NUMERIC) = 1`, { a: true }, null],
    [`CAST(val('$.a') AS NUMERIC) = 1`, { a: 'NaN' }, null],
    [`CAST(val('$.a') AS NUMERIC) > 1`, { a: 'Infinity' }, null],
    [`CAST(val('$.a') AS NUMERIC) = 31`, { a: '0x1F' }, null],
    [`CAST(val('$.a') AS NUMERIC) = 1000`, { a: '1_000' }, null],
    [`CAST(val('$.a') AS NUMERIC) > 0`, { a: '1e99999' }, null],
    [`CAST(val('$.a') AS NUMERIC) > 0`, { a: '9'.repeat(5000) }, null],
    [`CAST(val('$.a') AS NUMERIC) > 0`, `{"a": ${'9'.repeat(5000)}}`, null],
    [`CAST(val('$.a') AS NUMERIC) > 1e399`, '{"a": 1e400}', true],
    [`val('$.a') = 9007199254740993`, '{"a": 9007199254740993}', true],
    [`val('$.a') = 9007199254740992`, '{"a": 9007199254740993}', false],
    [`CAST(val('$.a') AS INTEGER) = 2`, { a: '2.0' }, true],
    [`CAST(val('$.a') AS INTEGER) = 2`, { a: 1.5 }, null],
    [`CAST(val('$.a') AS INTEGER) > 0`, '{"a": 9223372036854775807}', true],
    [`CAST(val('$.a') AS INTEGER) > 0`, '{"a": 9223372036854775808}', null],
    [`CAST(CAST(val('$.a') AS NUMERIC) AS INTEGER) > 0`, { a: 0.5 }, null],
    [`CAST(val('$.a') AS BOOLEAN)`, { a: 'true' }, true],
    [`CAST(val('$.a') AS BOOLEAN)`, { a: 'false' }, false],
    [`CAST(val('$.a') AS BOOLEAN)`, { a: 'yes' }, null],
    [`CAST(val('$.a') AS BOOLEAN)`, { a: 1 }, null],
    [`CAST('true' AS BOOLEAN)`, {}, true],
    [`CAST(lower(val('$.a')) AS BOOLEAN)`, { a: 'TRUE' }, true],
    [`CAST('1' || '2' AS NUMERIC) = 12`, {}, true],
    [`CAST('x' AS DATE) = CURRENT_DATE`, {}, null],
    [`CAST(NULL AS NUMERIC) = 1`, {}, null],
  ]);
});

describe('arithmetic', () => {
  check([
    [`1 + 2 * 3 = 7`, {}, true],
    [`(1 + 2) * 3 = 9`, {}, true],
    [`10 - 2 - 3 = 5`, {}, true],
    [`2 - (3 - 4) = 3`, {}, true],
    [`7 / 2 = 3.5`, {}, true],
    [`7 % 4 = 3`, {}, true],
    [`-7 % 4 = -3`, {}, true],
    [`0.1 + 0.2 = 0.3`, {}, true],
    [`- -5 = 5 AND +-5 = -5`, {}, true],
    [`1 / 0 = 1`, {}, null],
    [`NOT 1 / 0 = 1`, {}, null],
    [`1 % val('$.a') = 1`, { a: 0 }, null],
    [`1 / (val('$.a') - val('$.a')) > 0 OR true`, { a: 3 }, true],
    [`1e400 * 1e400 > 0`, {}, null],
    [`1e-400 / 1e400 = 0`, {}, true],
    [`1e400 / 1e-400 > 0`, {}, null],
    [`val('$.a') * val('$.a') > 0`, '{"a": 1e400}', null],
    [`1${'+1'.repeat(4000)} = 4001`, {}, true],
    [`1${'*1e400'.repeat(90)} = 1`, {}, null],
  ]);
});

describe('text', () => {
  check([
    [`upper(val('$.a')) = 'ÄÖÉΣЖ'`, { a: 'äöéσж' }, true],
    [`lower('ÄÖÉ') = val('$.a')`, { a: 'äöé' }, true],
    [`upper(val('$.a')) = lower(val('$.a'))`, { a: '1' }, true],
    [`length(val('$.a')) = 2`, { a: '😀é' }, true],
    [`val('$.a') || '-' || lower(val('$.b')) = 'x-y'`, { a: 'x', b: 'Y' }, true],
    [`val('$.a') < 'a'`, { a: 'Z' }, true],
    [`val('$.a') BETWEEN 'Z' AND lower('A')`, { a: '_' }, true],
    [`val('$.a') LIKE 'a\\%b'`, { a: 'a%b' }, true],
    [`val('$.a') LIKE 'a\\%b'`, { a: 'axb' }, false],
    [`val('$.a') LIKE 'a_c'`, { a: 'a😀c' }, true],
    [`val('$.a') LIKE 'A%'`, { a: 'abc' }, false],
    [`val('$.a') ILIKE 'É%'`, { a: 'école' }, true],
    [`val('$.a') NOT ILIKE 'x%'`, { a: 'école' }, true],
    [`val('$.a') LIKE 'a%'`, { a: 'a\nb' }, true],
    [`val('$.a') LIKE 'a\\\\'`, { a: 'a\\' }, null],
    [`val('$.a') LIKE 'a\\\\\\\\'`, { a: 'a\\' }, true],
    [`val('$.a') LIKE val('$.p')`, { a: 'a', p: 'a\\' }, null],
    [`val('$.a') LIKE val('$.p')`, { a: 'a', p: '%' }, true],
    [`val('$.a') LIKE val('$.p')`, { a: 'a\\', p: 'a\\\\' }, true],
    [`lower(val('$.a')) LIKE lower('A%') AND val('$.a') ILIKE upper('a%')`, { a: 'Ab' }, true],
    [`val('$.a') = 'x'' or true --'`, { a: 'y' }, false],
    [`val('$.a') = '\\t\\n\\r\\\\\\''`, { a: "\t\n\r\\'" }, true],
    [`val('$.a') = '\\d'`, { a: '\\d' }, true],
    [`length(val('$.a')${` || val('$.a')`.repeat(20)}) > 0`, { a: 'x'.repeat(100_000) }, null],
    [`length(val('$.a')${` || val('$.a')`.repeat(20)}) = 21000`, { a: 'x'.repeat(1000) }, true],
  ]);
});

describe('paths', () => {
  check([
    [`val('$.a.b[1].c') = 'x'`, { a: { b: [0, { c: 'x' }] } }, true],
    [`val('$."a.b"."c [0] d"') = 'x'`, { 'a.b': { 'c [0] d': 'x' } }, true],
    [`val('$."a \\\\" b"') = 'x'`, { 'a " b': 'x' }, true],
    [`val('$.""') = 'x'`, { '': 'x' }, true],
    [`val('$.é-1_2') = 'x'`, { 'é-1_2': 'x' }, true],
    [`val('$."$1; drop table memory"') = 'x'`, { '$1; drop table memory': 'x' }, true],
    [`val('$."\\\\\\\\"') = 'x'`, { '\\': 'x' }, true],
    [`val('$.a.0') IS NULL`, { a: ['x'] }, true],
    [`val('$.a[0]') IS NULL`, { a: { 0: 'x' } }, true],
    [`val('$.a[0]') IS NULL`, { a: 'x' }, true],
    [`val('$.a.b') IS NULL`, { a: [{ b: 'x' }] }, true],
    [`val('$.a[99999999999999999999]') IS NULL`, { a: ['x'] }, true],
    [`val('$.a[00]') = 'x'`, { a: ['x'] }, true],
    [`val('$') IS NULL`, { a: 1 }, true],
    [`val('$.a')[1][0] = 2`, { a: [1, [2]] }, true],
    [`(val('$.a'))[0] = 1`, { a: [1] }, true],
    [`['a', 'b'][1] = 'b'`, {}, true],
    [`['a'][1] IS NULL`, {}, true],
    [`exists('$.a')`, { a: null }, true],
    [`exists('$.a')`, {}, false],
    [`exists('$')`, {}, true],
    [`exists('$.*')`, {}, false],
    [`exists('$.*.x')`, { a: 1, b: { x: 1 } }, true],
    [`exists('$.*.x')`, { a: [{ x: 1 }] }, false],
    [`exists('$.a[*]')`, { a: { b: 1 } }, false],
    [`exists('$.a[*][1]')`, { a: [[1], [1, 2]] }, true],
    [`exists('$.a[*][1]')`, { a: [[1], 2] }, false],
    [`exists('$.a[*].*.c')`, { a: [1, { b: { c: 1 } }] }, true],
    [`exists('$.a[*].b')`, { a: [[{ b: 1 }]] }, false],
    [`NOT exists('$.a[*].b')`, {}, true],
  ]);
});

describe('arrays', () => {
  check([
    [`val('$.a') CONTAINS 'x'`, { a: ['x', 1] }, true],
    [`val('$.a') CONTAINS 'x'`, { a: 'x' }, null],
    [`val('$.a') CONTAINS 'x'`, {}, null],
    [`val('$.a') CONTAINS 1`, { a: [1.0] }, true],
    [`val('$.a') CONTAINS '1'`, { a: [1] }, false],
    [`val('$.a') CONTAINS 100`, '{"a": [1e2]}', true],
    [`val('$.a') CONTAINS [true, 'x', 1]`, { a: [1, 'x', true] }, true],
    [`val('$.a') CONTAINS []`, { a: [] }, true],
    [`val('$.a') OVERLAPS []`, { a: [1] }, false],
    [`val('$.a') OVERLAPS [1, 'y']`, { a: ['x', 1] }, true],
    [`val('$.a') OVERLAPS ['x']`, { a: 'x' }, null],
    [`val('$.a') OVERLAPS val('$.b')`, { a: [1, 2], b: [2.0, 3] }, true],
    [`val('$.a') OVERLAPS val('$.b')`, { a: [1, 2], b: 2 }, null],
    [`val('$.a') CONTAINS val('$.b')`, { a: [1, 2], b: 2 }, true],
    [`val('$.a') CONTAINS val('$.b')`, { a: [{ x: 1, y: 2 }], b: [{ x: 1 }] }, false],
    [`val('$.a') CONTAINS val('$.b')`, { a: [{ x: 1.0 }], b: [{ x: 1 }] }, true],
    [`val('$.a') CONTAINS val('$.b')`, { a: [1], b: { x: 1 } }, null],
    [`val('$.a') CONTAINS ['x', NULL]`, { a: ['x'] }, null],
    [`val('$.a') CONTAINS ['y', NULL]`, { a: ['x'] }, false],
    [`val('$.a') OVERLAPS ['x', NULL]`, { a: ['x'] }, true],
    [`val('$.a') OVERLAPS ['y', NULL]`, { a: ['x'] }, null],
    [`val('$.a') CONTAINS NULL`, { a: ['x', null] }, null],
    [`['x', NULL] CONTAINS 'y'`, {}, null],
    [`['x', NULL] CONTAINS 'x'`, {}, true],
    [`['x', val('$.b')] OVERLAPS val('$.a')`, { a: ['y'], b: 'y' }, true],
    [`NULL OVERLAPS ['x']`, {}, null],
    [`val('$.a') CONTAINS lower('X')`, { a: ['x'] }, true],
    [`val('$.a') CONTAINS [val('$.n') + 1]`, { a: [3], n: 2 }, true],
    [`1 IN val('$.a')`, { a: [2, 1] }, true],
    [`1 NOT IN val('$.a')`, { a: [2, 1] }, false],
    [`val('$.b') IN val('$.a')`, { a: [null], b: null }, null],
    [`val('$.b') IN val('$.a')`, { a: [false], b: false }, true],
    [`val('$.n') IN [1, 'x', true]`, { n: 1 }, true],
    [`val('$.n') IN (['a', 'b'])`, { n: 'b' }, true],
    [`'x' IN ['a', NULL]`, {}, null],
    [`'x' IN []`, {}, false],
  ]);

  test('a list of a thousand items', async () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index).join(',');
    expect(await rows.of({ metadata: { n: 999 } }, `val('$.n') IN (${numbers})`)).toBe(true);
    expect(await rows.of({ metadata: { n: [999, 1000] } }, `val('$.n') OVERLAPS [${numbers}]`)).toBe(true);
    expect(await rows.of({ metadata: { n: [999, 1000] } }, `[${numbers}] CONTAINS val('$.n')`)).toBe(false);
  });
});

describe('the record', () => {
  const memory = {
    memoryId: '01980000-0000-7000-8000-0000000000f1',
    contentType: 'text/plain',
    processingStatus: 'FAILED',
    createdAt: '2026-03-03T23:30:00.25Z',
    updatedAt: '2026-03-04T01:00:00Z',
  };

  test.each([
    [`field('memoryId') = '01980000-0000-7000-8000-0000000000f1'`, true],
    [`field('memoryId') LIKE '01980000-0%'`, true],
    [`field('memoryId') LIKE '0198_000%f1'`, true],
    [`field('memoryId') LIKE '%f1'`, true],
    [`field('memoryId') LIKE '01980001%'`, false],
    [`field('memoryId') NOT LIKE '01980001%'`, true],
    [`field('memoryId') LIKE '01980000-0000-7000-8000-0000000000F1'`, false],
    [`field('memoryId') LIKE '02\\\\'`, null],
    [`field('memoryId') NOT LIKE '02\\\\'`, null],
    [`field('contentType') IN ('text/plain', 'text/html')`, true],
    [`field('processingStatus') != 'COMPLETED'`, true],
    [`field('createdAt') < field('updatedAt')`, true],
    [`field('createdAt') = '2026-03-03T23:30:00.250Z'`, true],
    [`field('createdAt') >= '2026-03-04'`, false],
    [`CAST(field('createdAt') AS DATE) = '2026-03-03'`, true],
    [`field('updatedAt') - 0.0625 < field('createdAt')`, true],
    [`EXTRACT(SECOND FROM field('createdAt')) = 0.25`, true],
    [`lower(field('processingStatus')) || '!' = 'failed!'`, true],
  ])('%s is %s', async (filter, expected) => {
    expect(await rows.of(memory, filter)).toBe(expected);
  });
});

describe('hostile text stays a value', () => {
  test.each([
    `'; drop table memory; --`,
    `x' or '1'='1`,
    '$1',
    '{"a","b"}',
    '\\',
    `"; select pg_sleep(10); "`,
    '%s %I $$ {{x}}',
    '🏴‍☠️',
  ])('%s', async (text) => {
    const quoted = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
    const member = `'$.${JSON.stringify(text).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
    const metadata = { a: text, [text]: 'x', tags: [text] };
    expect(await rows.of({ metadata }, `val('$.a') = ${quoted}`)).toBe(true);
    expect(await rows.of({ metadata }, `val('$.a') IN (${quoted}, 'y')`)).toBe(true);
    expect(await rows.of({ metadata }, `val('$.tags') CONTAINS [${quoted}]`)).toBe(true);
    expect(await rows.of({ metadata }, `val('$.tags') OVERLAPS [${quoted}]`)).toBe(true);
    expect(await rows.of({ metadata }, `val(${member}) = 'x'`)).toBe(true);
    expect(await rows.of({ metadata }, `exists(${member})`)).toBe(true);
  });

  test('a lone surrogate', async () => {
    expect(await rows.of({ metadata: { a: 'x' } }, `val('$."\ud800"') = '\udc00' OR exists('$.*."\ud800"')`)).toBe(
      null,
    );
  });
});

describe('the deepest and longest filters run', () => {
  const levels = (count: number, open: string, inner: string, close: string) =>
    open.repeat(count) + inner + close.repeat(count);

  test.each([
    `${levels(98, 'coalesce(', `val('$.n')`, ', 1)')} = 5`,
    `${levels(96, 'lower(', `val('$.t')`, ')')} = 'x'`,
    levels(49, 'NOT (', 'true', ')').replace('true', `val('$.n') = 6`),
    levels(98, '(', 'true', ')').replace('true', `val('$.n') = 5`),
    `val('$.n')${` * val('$.n')`.repeat(58)} > 0`,
    `length(val('$.t')${` || val('$.t')`.repeat(98)}) = 99`,
    `${levels(90, '(1+', '1', ')')} = 91`,
    `val('$.n') = 5${` OR val('$.n') = 6`.repeat(99)}`,
    `exists('$${'[*]'.repeat(74)}') OR true`,
  ])('%.60s…', async (filter) => {
    expect(await rows.of({ metadata: { n: 5, t: 'X' } }, filter)).toBe(true);
  });
});
