import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../../../../src/server/service/filter/parse-filter.ts';
import { compileFilter } from '../../../../../src/server/store/filter/compile-filter.ts';
import { codePoint } from '../../../../support/code-point.ts';

function compile(text: string, firstParameter = 1) {
  const filter = parseFilter(text, 'filter');
  if (filter === undefined) {
    throw new Error('blank');
  }
  return compileFilter(filter, { alias: 'm', firstParameter });
}

describe('the compiled condition', () => {
  test('keeps strings, numbers and paths out of the statement', () => {
    expect(compile(`val('$.year') >= 2026 AND val('$."it''s"') = 'a'`, 4)).toEqual({
      sql:
        `((svc_filter_numeric((jsonb_path_query_first(m.metadata, $4::jsonpath, '{}', true) #>> '{}')) >= $5::numeric)` +
        ` and (((jsonb_path_query_first(m.metadata, $6::jsonpath, '{}', true) #>> '{}') collate "C") = ($7::text collate "C")))`,
      values: [
        'strict $."year" ? (@.type() == "number" || @.type() == "string")',
        '2026',
        `strict $."it's" ? (@.type() == "string")`,
        'a',
      ],
    });
  });

  test.each([
    ['0198abcd%', '0198abcd-0000-0000-0000-000000000000', '0198abcd-ffff-ffff-ffff-ffffffffffff'],
    ['0198abcd-12_%', '0198abcd-1200-0000-0000-000000000000', '0198abcd-12ff-ffff-ffff-ffffffffffff'],
    ['0198ABCD%', '01980000-0000-0000-0000-000000000000', '0198ffff-ffff-ffff-ffff-ffffffffffff'],
    ['%f1', undefined, undefined],
    ['0198abcde%', undefined, undefined],
    ['01\\\\%', '01000000-0000-0000-0000-000000000000', '01ffffff-ffff-ffff-ffff-ffffffffffff'],
  ])('looks for memories whose id is LIKE %s among those between two ids', (pattern, first, last) => {
    const { sql, values } = compile(`field('memoryId') LIKE '${pattern}'`);
    expect(sql).toBe(
      '(m.memory_id::text collate "C" like $1::text collate "C" and m.memory_id between $2::uuid and $3::uuid)',
    );
    const all = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
    expect(values.slice(1)).toEqual([first ?? all[0], last ?? all[1]]);
  });

  test('computes constants once', () => {
    expect(compile(`field('createdAt') > now() - 7`)).toEqual({
      sql: '(m.created_at > (select svc_filter_add_days(now(), $1::numeric)))',
      values: ['-7'],
    });
  });

  test('uses the operators of JSON for literals', () => {
    expect(compile(`val('$.t') CONTAINS ['a', 1.50, true]`).values[1]).toBe('["a",1.5,true]');
    expect(compile(`val('$.t') OVERLAPS ['a', 'b']`).sql).toContain('?|');
  });

  test.each([
    [`val('$.a') IN ('a')`, `val('$.bb."c"[3]') IN ('x', NULL, 'y')`],
    [`val('$.a') LIKE 'a%'`, `val('$.b') LIKE 'b\\\\'`],
    [`val('$.a') CONTAINS ['a']`, `val('$.a') CONTAINS ['a', 2, false]`],
    [`val('$.a') > 1`, `val('$.a') > -1.5e3`],
    [`exists('$.a')`, `exists('$.b[*].*')`],
  ])('has one text for one shape: %s, %s', (one, other) => {
    expect(compile(one).sql).toBe(compile(other).sql);
  });

  test('contains no text of the filter', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((each) => !/\p{Cc}/u.test(each));
    const template = (value: string) => {
      const quoted = `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
      const path = `'$.${JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
      return `val(${path}) = ${quoted} OR exists(${path}) OR ${quoted} IN val(${path}) OR val(${path}) || ${quoted} ILIKE ${quoted}`;
    };
    // One pattern is NULL when it ends in a lone backslash, but the text of the statement is the same.
    const expected = compile(template('x')).sql;
    fc.assert(
      fc.property(text, (value) => {
        const { sql, values } = compile(template(value));
        expect(sql).toBe(expected);
        expect(values[1]).toBe(value);
      }),
    );
  });

  test('any text either parses or is refused as an argument', () => {
    const words = [
      'val(',
      "'$.a'",
      ')',
      '(',
      'AND',
      'NOT',
      '=',
      '1',
      "'x'",
      '[',
      ']',
      ',',
      'IN',
      'CAST(',
      'AS',
      'TEXT',
    ];
    const soup = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: codePoint, maxLength: 4 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(soup, (pieces) => {
        try {
          parseFilter(pieces.join(' '), 'filter');
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
