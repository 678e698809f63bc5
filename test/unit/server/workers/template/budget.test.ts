import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../../src/server/workers/template/text-search.ts';
import { outcome, variables } from './template.fixture.ts';

const doubled = (name: string, start: string, times: number) =>
  `{% set ${name} = "${start}" %}{% for i in 1..${times} %}{% set ${name} = ${name} ~ ${name} %}{% endfor %}`;

describe('the search in texts', () => {
  // A million characters that match almost everywhere: quadratic searches need hours, and nothing can interrupt them.
  const texts = `${doubled('wanted', 'a', 18)}{% set wanted = "aab" ~ wanted %}${doubled('s', 'a', 20)}`;

  it.each([
    ['{{ s contains wanted }}', 'false'],
    ['{{ s ~ wanted contains wanted }}', 'true'],
    ['{{ s | split(wanted) | length }}', '1'],
    ['{{ s | replace({(wanted): ""}) == s }}', 'true'],
  ])('%s reads each text once', (expression, printed) => {
    expect(outcome(`${texts}${expression}`)).toBe(printed);
  });

  it('finds the same positions as split', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 });
    const wanted = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(letters, wanted, (text, part) => {
        const pieces = text.split(part).slice(0, -1);
        let at = -part.length;
        const places = pieces.map((piece) => (at += part.length + piece.length));
        expect(placesOf(text, part, 100)).toEqual(places);
        expect(placesOf(text, part, 1)).toEqual(places.slice(0, 1));
      }),
    );
  });
});

describe('the step counter', () => {
  const nan = '{% set nan = 0.0 / 0.0 %}';
  const million = '{% for a in 1..1000 %}{% for b in 1..1001 %}{% endfor %}{% endfor %}';

  it.each([
    '[1] | slice(nan)',
    '[1] | slice(0, nan)',
    '"a" | slice(nan)',
    '"a" | split("", nan)',
    '"abcd" | abbreviate(nan)',
  ])('continues after %s', (expression) => {
    expect(outcome(`${nan}{% set x = ${expression} %}${million}`)).toBe(
      'limit: Line 1: The template takes too many steps',
    );
  });

  it.each(['s | title', 's | urlencode', 'dates | date("z", timeZone="Europe/Paris")'])(
    'counts %s as more than its text',
    (expression) => {
      const used = `{% for a in 1..1000 %}{% for b in 1..440 %}{% endfor %}{% endfor %}${doubled('s', 'a ', 19)}`;
      const times = expression.includes('date(') ? 2_000 : 1;
      const template = `${used}{% set dates = userQuery %}{% for i in 1..${times} %}{% set x = ${expression} %}{% endfor %}`;
      const given = variables({ userQuery: '2026-03-03' });
      expect(outcome(template, given)).toBe('limit: Line 1: The template takes too many steps');
      expect(outcome(template.replace('440', '300'), given)).toBe('');
    },
  );

  it('counts the elements of a list that the template writes out', () => {
    const written = `{{ [${'1,'.repeat(100_000)}1] | length }}`;
    expect(outcome(written)).toBe('limit: Line 1: A list has more than 100000 elements');
  });
});

describe('numbers and dates at the end of their range', () => {
  it.each([
    ['{{ 8640000000000000 | date("yyyy", timeZone="+14:00") }}', 'runtime: Line 1: The date is out of range'],
    ['{{ 8640000000000000 | date("yyyy") }}', '275760'],
    [`{% set x = 10.0 %}{% for i in 1..307 %}{% set x = x * 10 %}{% endfor %}{{ x | numberformat("0%") }}`, '∞%'],
    ['{{ (-9223372036854775807 - 1) | abs }}', '-9223372036854775808'],
  ])('%s is %s', (template, printed) => {
    expect(outcome(template)).toBe(printed);
  });
});

describe('the output of a template', () => {
  it('is UTF-8, even with half a surrogate pair', () => {
    expect(outcome('{{ "😀😀" | slice(0, 3) }}{{ "\u{1f600}ab" | last }}')).toBe('😀\ufffdb');
  });
});
