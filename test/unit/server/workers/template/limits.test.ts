import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createPromptTemplates, TemplateError } from '../../../../../src/server/service/templates/prompt-templates.ts';
import { createWorkerPool, type WorkerPool } from '../../../../../src/server/workers/pool.ts';
import { built } from '../../../../support/built.ts';
import { outcome, variables } from './template.fixture.ts';

const entry = built('server/workers/thread.js');
const { signal } = new AbortController();
const pools: WorkerPool[] = [];

function pool(maxOldSpaceMb = 128): WorkerPool {
  const created = createWorkerPool({ size: 2, entry, maxOldSpaceMb });
  pools.push(created);
  return created;
}

afterAll(async () => {
  for (const created of pools) await created.close();
});

const loop = (body: string, times = 99_999) => `{% for i in 1..${times} %}${body}{% endfor %}`;

/** Each asks for more than a template may have. */
const ATTACKS: Readonly<Record<string, string>> = {
  'loops in loops': loop(loop(loop(''))),
  'a loop that prints': loop(loop('{{ userQuery }}')),
  'a huge range': '{{ 1..999999999 }}',
  'a range beyond 64 bits': '{{ -9223372036854775807..9223372036854775807 }}',
  'the range function': '{{ range(0, 999999999) | length }}',
  'a text doubled sixty times': `{% set s = "xxxxxxxx" %}${loop('{% set s = s ~ s %}', 60)}{{ s }}`,
  'a text doubled by +': `{% set s = "xxxxxxxx" %}${loop('{% set s = s + s %}', 60)}`,
  'a text doubled by interpolation': `{% set s = "xxxxxxxx" %}${loop('{% set s = "#{s}#{s}" %}', 60)}`,
  'a text doubled by replace': `{% set s = "xx" %}${loop('{% set s = s | replace("x", "xx") %}', 60)}`,
  'a text doubled by an empty replace': `{% set s = "xx" %}${loop('{% set s = s | replace("", s) %}', 60)}`,
  'a text doubled by join': `{% set s = "xx" %}${loop('{% set s = [s, s] | join(s) %}', 60)}`,
  'a text made by a filter block': `{% set s = "xx" %}${loop('{% filter upper %}{{ s }}{% set s = s ~ s %}{% endfilter %}', 60)}`,
  'a list doubled sixty times': `{% set l = [1] %}${loop('{% set l = l + l %}', 60)}`,
  'a list merged sixty times': `{% set l = [1] %}${loop('{% set l = l | merge(l) %}', 60)}`,
  'a list of itself, printed': `{% set l = [1] %}${loop('{% set l = [l, l] %}', 60)}{{ l }}`,
  'a list of itself, compared': `{% set a = [1] %}{% set b = [1] %}${loop('{% set a = [a, a] %}{% set b = [b, b] %}', 60)}{{ a == b }}`,
  'a deep list, printed': `{% set l = [1] %}${loop('{% set l = [l] %}', 5000)}{{ l }}`,
  'a deep map, joined': `{% set l = {} %}${loop('{% set l = {"a": l} %}', 5000)}{{ [l] | join }}`,
  'a macro that calls itself': '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  'macros that call each other':
    '{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}',
  'a macro that calls itself twice':
    '{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  'a macro in its own default': '{% macro m(a=m()) %}{% endmacro %}{{ m() }}',
  'sorting again and again': `{% set l = 1..50000 %}${loop('{% set k = l | rsort %}')}`,
  'searching again and again': `{% set l = 1..50000 %}${loop('{% set k = l contains 0 %}')}`,
  'comparing long texts': `{% set s = "x" %}${loop('{% set s = s ~ s %}', 20)}${loop('{% set k = s == (s ~ "") %}')}`,
  'hashing long texts': `{% set s = "x" %}${loop('{% set s = s ~ s %}', 20)}${loop('{% set k = s | sha256 %}')}`,
  'splitting a long text': `{% set s = "x" %}${loop('{% set s = s ~ s %}', 22)}{{ s | split("") | length }}`,
  'five thousand brackets': `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
  'five thousand lists': `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`,
  'five thousand maps': `{{ ${'{"a":'.repeat(5000)}1${'}'.repeat(5000)} }}`,
  'five thousand signs': `{{ ${'- '.repeat(5000)}1 }}`,
  'five thousand nots': `{{ ${'not '.repeat(5000)}1 }}`,
  'five thousand choices': `{{ ${'1 ? 1 : '.repeat(5000)}1 }}`,
  'five thousand sums': `{{ 1${' + 1'.repeat(5000)} }}`,
  'five thousand members': `{{ a${'.a'.repeat(5000)} }}`,
  'five thousand filters': `{{ a${' | upper'.repeat(5000)} }}`,
  'five thousand interpolations': `{{ ${'"#{'.repeat(5000)}1${'}"'.repeat(5000)} }}`,
  'five thousand ifs': `${'{% if true %}'.repeat(5000)}${'{% endif %}'.repeat(5000)}`,
  'five thousand elseifs': `{% if false %}${'{% elseif false %}'.repeat(5000)}{% endif %}`,
  'five thousand calls': `${'{% macro m(a) %}{% endmacro %}{{ '}${'m('.repeat(5000)}${')'.repeat(5000)} }}`,
  'a template that is too long': 'x'.repeat(300_000),
};

/** Long runs on which a careless lexer needs the square of their length. Each must end as quickly as a short one. */
const RUNS = [
  '{{ 1 }}',
  '{%',
  '{#',
  '{{',
  ' ',
  '"',
  '{{ "',
  '\\',
  '#{',
  '{% verbatim %}',
  '{%- verbatim',
  '-',
  '\n',
  '}}',
  '"#',
];

describe('hostile templates', () => {
  const shared = pool();
  const templates = createPromptTemplates(shared);

  it.each(Object.entries(ATTACKS))('%s ends at a limit, and other templates run meanwhile', async (_, template) => {
    const attack = templates.render(template, variables(), signal);
    const other = templates.render('{{ userQuery }}', variables(), signal);
    await expect(attack).rejects.toSatisfy(
      (error) =>
        error instanceof TemplateError && ['limit', 'syntax'].includes(error.kind) && error.message.length < 160,
    );
    expect(await other).toBe('When was the boiler serviced?');
  });

  it.each(RUNS)('a long run of %j is parsed in time', async (run) => {
    // The square of these lengths takes minutes; a machine that is merely busy has time enough.
    const patient = createPromptTemplates(shared, { timeoutMs: 20_000 });
    const texts = [run.repeat(250_000 / run.length), `{{ "${run.repeat(100_000 / run.length)}`];
    for (const template of [...texts, `${run.repeat(100_000 / run.length)}x{{- 1 }}`]) {
      const problem = await patient.problem(template, [], signal);
      expect(problem ?? '').not.toMatch(/too long|could not be run/);
    }
  });

  it('ends with a limit at the deadline of the thread', async () => {
    const hurried = createPromptTemplates(pool(), { timeoutMs: 1 });
    const late = hurried.render(ATTACKS['loops in loops'] ?? '', variables(), signal);
    await expect(late).rejects.toMatchObject({ kind: 'limit', message: 'The template takes too long' });
    expect(await hurried.problem(`{{ [${'1,'.repeat(100_000)}1] }}`, [], signal)).toBe('The template takes too long');
  });

  it('ends with a limit when the thread has no memory left, and goes on', async () => {
    const small = createPromptTemplates(pool(20), { timeoutMs: 10_000 });
    const greedy = `{% set s = "語" %}${loop('{% set s = s ~ s %}', 21)}{% set l = [] %}${loop('{% set l = l + [s ~ i | lower] %}', 6)}`;
    const render = small.render(greedy, variables(), signal);
    await expect(render).rejects.toMatchObject({ kind: 'limit', message: 'The template needs too much memory' });
    expect(await small.render('{{ 1 }}', variables(), signal)).toBe('1');
  });

  it("rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const running = templates.render(ATTACKS['loops in loops'] ?? '', variables(), controller.signal);
    controller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    await expect(templates.problem('a', [], controller.signal)).rejects.toThrow('gone');
  });

  it('is a template error as well when the pool is closed', async () => {
    const closed = pool();
    await closed.close();
    const late = createPromptTemplates(closed);
    await expect(late.render('a', variables(), signal)).rejects.toBeInstanceOf(TemplateError);
    expect(await late.problem('a', [], signal)).toBe('The template could not be run');
  });
});

const FILTERS = [
  'abbreviate(3)',
  'abs',
  'base64encode',
  'capitalize',
  'date("yyyy")',
  'default("d")',
  'first',
  'join(",")',
  'last',
  'length',
  'lower',
  'merge([1])',
  'numberformat("0.0")',
  'replace({"a": "b"})',
  'reverse',
  'rsort',
  'slice(0, 1)',
  'sort',
  'split("a")',
  'title',
  'trim',
  'upper',
  'urlencode',
];

describe('random templates', () => {
  const fragments = fc.constantFrom(
    ...[
      '{{',
      '}}',
      '{%',
      '%}',
      '{#',
      '#}',
      '-',
      '|',
      '~',
      '..',
      '?',
      ':',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '\\',
      '#{',
      ',',
      '=',
    ],
    ...[
      'if ',
      'else',
      'elseif ',
      'endif',
      'for x in ',
      'endfor',
      'set a = ',
      'macro m(',
      'endmacro',
      'filter upper',
      'endfilter',
    ],
    ...[
      'is ',
      'not ',
      'empty',
      'null',
      'contains ',
      'and ',
      'or ',
      'userQuery',
      'results',
      '.score',
      '[0]',
      'm(',
      'range(',
      '1',
      '2.5',
      ' ',
    ],
    ...[
      '{{ userQuery }}',
      '{% if true %}',
      '{% endif %}',
      '{% for x in results %}',
      '{{ x',
      ' | date("yyyy")',
      ' | sort',
      '\n',
    ],
  );
  const template = fc.array(fc.oneof({ weight: 9, arbitrary: fragments }, fc.string({ maxLength: 5 })), {
    maxLength: 40,
  });

  it('print a bounded text or fail with a template error', () => {
    fc.assert(
      fc.property(template, (parts) => {
        expect(Buffer.byteLength(outcome(parts.join('')))).toBeLessThanOrEqual(1_048_576);
      }),
      { numRuns: 1_000 },
    );
  });

  const literal = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('1', '-2', '2.5', '"a"', '""', 'null', 'true', 'userQuery', 'context', 'results', 'results[0]'),
      fc.constantFrom('results[0].score', 'results[0].memoryCreatedAt', 'results[0].memoryMetadata'),
      fc
        .tuple(tie('value'), fc.constantFrom(...'+ - * / % ~ .. == < contains and or ??'.split(' ')), tie('value'))
        .map((parts) => `(${parts.join(' ')})`),
      fc.tuple(tie('value'), fc.constantFrom(...FILTERS)).map(([value, filter]) => `(${value} | ${filter})`),
      fc
        .tuple(tie('value'), fc.constantFrom('empty', 'null', 'even', 'map', 'iterable'))
        .map((parts) => `(${parts.join(' is ')})`),
      fc.tuple(tie('value'), tie('value')).map(([left, right]) => `[${left}, ${right}]`),
      fc.tuple(tie('value'), tie('value')).map(([left, right]) => `{"k": ${left}, "l": ${right}}`),
      fc.tuple(tie('value'), tie('value'), tie('value')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  })).value;

  it('have a value for every combination of operators and filters, or fail with a template error', () => {
    fc.assert(
      fc.property(literal, (expression) => {
        expect(outcome(`{{ ${expression} }}`)).not.toMatch(/^syntax|\[object|undefined|function/);
      }),
      { numRuns: 1_000 },
    );
  });
});
