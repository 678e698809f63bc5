import { describe, expect, it } from 'vitest';
import { item, outcome, variables } from '../template.fixture.ts';

/** Expressions that name what JavaScript, Node or a template engine could offer. All of them are null. */
const NOTHING = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'self',
  'this',
  'process',
  'process.env',
  'global',
  'globalThis',
  'require',
  'module',
  'Function',
  'Object',
  'eval',
  'joiner',
  'cycler',
  'caller',
  'loop',
  'range',
  'range.constructor',
  'max.prototype',
  'userQuery.constructor',
  'userQuery["constructor"]',
  'userQuery["const" ~ "ructor"]',
  `userQuery["con#{'struct'}or"]`,
  'userQuery[["con", "structor"] | join]',
  'userQuery["rotcurtsnoc" | split("") | reverse | join]',
  'userQuery["CONSTRUCTOR" | lower]',
  'userQuery["Y29uc3RydWN0b3I=" | base64decode]',
  'userQuery.length',
  'userQuery.__proto__',
  'userQuery[0]',
  'context.constructor',
  'context.constructor.constructor',
  'context["__pro" ~ "to__"]',
  'context.length',
  'context.map',
  'context["filter"]',
  'results.constructor',
  'results[0].constructor',
  'results[0].__proto__',
  'results[0]["__proto__"]["constructor"]',
  'results[0].hasOwnProperty',
  'results[0].get',
  'results[0].size',
  'results[0].memoryMetadata.constructor',
  'results[0].memoryMetadata.__proto__',
  'results[0].memoryMetadata.__defineGetter__',
  'results[0].memoryMetadata.toString',
  'results[0].memoryCreatedAt.getTime',
  'results[0].memoryCreatedAt.constructor',
  'results[0].score.toFixed',
  '(1).constructor',
  '(1.5)["constructor"]',
  'true.constructor',
  '[].constructor',
  '[]["__proto__"]',
  '[].at',
  '{}.constructor',
  '{}["__proto__"]',
  '{}.toString',
  '(1..3).constructor',
  '(context | sort).constructor',
  '(context | first).constructor',
  '(userQuery | split(" ")).__proto__',
  '(results | last).__proto__',
  '({"a": 1} | merge({})).constructor',
  '(results[0].memoryCreatedAt | date("yyyy")).constructor',
  '(null ?? userQuery).constructor',
  '(true ? userQuery : 1).constructor',
  '{"__proto__": {"polluted": 1}}.polluted',
];

/** Templates that must be refused before they run. */
const REFUSED = [
  '{{ range.constructor("return process")() }}',
  '{{ userQuery.constructor.constructor("return process")() }}',
  '{{ userQuery["constructor"]("x") }}',
  '{{ userQuery.toString() }}',
  '{{ context.map(userQuery) }}',
  '{{ "a".repeat(9) }}',
  '{{ results[0].memoryMetadata.get("room") }}',
  '{{ (context)() }}',
  '{{ constructor() }}',
  '{{ __proto__() }}',
  '{{ toString() }}',
  '{{ hasOwnProperty("a") }}',
  '{{ eval("1") }}',
  '{{ Function("return 1") }}',
  '{{ require("fs") }}',
  '{{ import("fs") }}',
  '{{ process.exit(1) }}',
  '{{ self.constructor() }}',
  '{{ joiner(",") }}',
  '{{ cycler("a", "b") }}',
  '{{ caller() }}',
  '{{ super() }}',
  '{{ parent() }}',
  '{{ block("a") }}',
  '{{ i18n("bundle", "key") }}',
  '{{ userQuery | attr("constructor") }}',
  '{{ results | groupby("constructor") }}',
  '{{ results | map(attribute="constructor") }}',
  '{{ results | selectattr("constructor") }}',
  '{{ results | sort(attribute="constructor") }}',
  '{{ results | sort("constructor") }}',
  '{{ userQuery | constructor }}',
  '{{ userQuery | __proto__ }}',
  '{{ userQuery | toString }}',
  '{{ userQuery | safe }}',
  '{{ userQuery | dump }}',
  '{{ userQuery is constructor }}',
  '{{ userQuery is __proto__ }}',
  '{{ userQuery is callable }}',
  '{% include "/etc/passwd" %}',
  '{% import "/etc/passwd" as x %}',
  '{% from "x" import y %}',
  '{% extends "x" %}',
  '{% block a %}{% endblock %}',
  '{% embed "x" %}{% endembed %}',
  '{% call m() %}{% endcall %}',
  '{% switch 1 %}{% endswitch %}',
  '{% asyncEach x in y %}{% endeach %}',
  '{% ifAsync x %}{% endif %}',
  '{% raw %}{% endraw %}',
  '{% set x.y = 1 %}',
  '{% set x["__proto__"] = 1 %}',
  '{% set constructor.prototype.x = 1 %}',
  '{{ r/(a+)+$/ }}',
  '{{ `process` }}',
  '{{ x => y }}',
  '{{ new Date() }}',
  '{{ a; b }}',
  '{{ a\u0000b }}',
];

/** Templates that print their own data under names that mean something to JavaScript, and nothing else. */
const OWN: readonly (readonly [template: string, printed: string])[] = [
  ['{% macro m() %}{% endmacro %}[{{ m }}{{ m.constructor }}]', '[]'],
  ['{% macro constructor() %}mine{% endmacro %}{{ constructor() }}', 'mine'],
  ['{% macro m(__proto__) %}[{{ __proto__ }}{{ toString }}{{ arguments }}]{% endmacro %}{{ m("a") }}', '[a]'],
  ['{% for i in 1..1 %}[{{ loop.constructor }}{{ loop["__proto__"] }}{{ loop.parent }}]{% endfor %}', '[]'],
  ['{% for e in {"a": 1} %}[{{ e.constructor }}{{ e.__proto__ }}]{% endfor %}', '[]'],
  ['{% set __proto__ = "x" %}{{ __proto__ }}{{ constructor }}', 'x'],
  ['{{ {"constructor": "own"}.constructor }}', 'own'],
  ['{{ {"__proto__": 1} }}', '{__proto__=1}'],
  ['{% set o = {"__proto__": {"x": 1}} %}{{ {}.x }}{{ o.x }}{{ o["__proto__"].x }}', '1'],
  ['{{ {} | merge({"__proto__": {"x": 1}}) }}{{ {}.x }}', '{__proto__={x=1}}'],
  ['{% filter upper %}{{ userQuery.constructor }}{% endfilter %}', ''],
];

describe('templates reach their data alone', () => {
  it.each(NOTHING)('{{ %s }} is null', (expression) => {
    expect(outcome(`[{{ ${expression} }}{{ ${expression} is null ? "" : "reached" }}]`)).toBe('[]');
  });

  it.each(REFUSED)('%s is refused', (template) => {
    expect(outcome(template)).toMatch(/^syntax: Line 1: /);
  });

  it.each(OWN.map((row) => [...row]))('%s prints its own data', (template, printed) => {
    expect(outcome(template)).toBe(printed);
  });

  it('sees own members of metadata only, whatever their names', () => {
    const memoryMetadata = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}') as Record<
      string,
      unknown
    >;
    const given = variables({ results: [item({ memoryMetadata })] });
    const template =
      '{% set m = results[0].memoryMetadata %}{{ m.__proto__ }}{{ m["constructor"] }}{{ m.toString }}{{ m.valueOf }}';
    expect(outcome(template, given)).toBe('pct');
  });

  it('gives functions, symbols and class instances as null or plain data', () => {
    const memoryMetadata = {
      f: () => 'called',
      s: Symbol('s'),
      m: new Map([['a', 1]]),
      r: /x/,
      e: new Error('secret'),
    };
    const given = variables({ results: [item({ memoryMetadata })] });
    expect(
      outcome(
        '{% set m = results[0].memoryMetadata %}{{ m.f }}{{ m.s }}{{ m.m.a }}{{ m.r.source }}{{ m.e.stack }}',
        given,
      ),
    ).toBe('');
  });

  it('quotes a template in errors briefly, on one line, and nothing of the server', () => {
    const messages = [
      `{{ x | ${'n'.repeat(500)} }}`,
      `{% ${'n'.repeat(500)} %}`,
      `{{ 1 "${'a\\n'.repeat(500)}" }}`,
      '{{ 1 / 0 }}',
    ];
    for (const template of messages) {
      const message = outcome(template);
      expect(message.length).toBeLessThan(160);
      expect(message).not.toMatch(/[\n\r]|\.(?:js|ts)\b|node:|nunjucks|parse[A-Z]/);
    }
  });

  it('leaves the prototypes of the host unchanged', () => {
    for (const [template] of OWN) outcome(template);
    expect([{}, [], ''].map((value) => 'x' in Object(value) || 'polluted' in Object(value))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
