import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILT_IN_PROMPT, BUILT_IN_SYSTEM_PROMPT } from '../../../../../src/server/service/retrieval/chat-prompts.ts';
import { createPromptTemplates } from '../../../../../src/server/service/templates/prompt-templates.ts';
import { createWorkerPool } from '../../../../../src/server/workers/pool.ts';
import type { TemplateVariables } from '../../../../../src/server/workers/template/variables.ts';
import { built } from '../../../../support/built.ts';
import { outcome, variables } from '../../workers/template/template.fixture.ts';

const { signal } = new AbortController();
const pool = createWorkerPool({ size: 1, entry: built('server/workers/thread.js') });
const templates = createPromptTemplates(pool);

afterAll(() => pool.close());

describe('built-in prompts', () => {
  it('give the system prompt as it is', async () => {
    expect(await templates.render(BUILT_IN_SYSTEM_PROMPT, variables(), signal)).toBe(
      [
        'You answer questions from the retrieved data and from nothing else.',
        'Keep specific details and numbers exactly as they appear. If the data does not hold the answer, say so.',
        'Do not offer suggestions or advice. Answer in fewer than 4 sentences.',
      ].join('\n'),
    );
  });

  it('give earlier turns, the query and the data', async () => {
    expect(await templates.render(BUILT_IN_PROMPT, variables({ dataSection: 'Data' }), signal)).toBe(
      'Earlier in this conversation:\n- Hello\n- Hi\nQuestion: When was the boiler serviced?\n\nData',
    );
  });

  it('leave out earlier turns where there are none', async () => {
    expect(await templates.render(BUILT_IN_PROMPT, variables({ context: [], dataSection: 'Data' }), signal)).toBe(
      'Question: When was the boiler serviced?\n\nData',
    );
  });

  it('can be used', async () => {
    expect(await templates.problem(BUILT_IN_PROMPT, ['userQuery', 'dataSection', 'context'], signal)).toBeUndefined();
    expect(await templates.problem(BUILT_IN_SYSTEM_PROMPT, [], signal)).toBeUndefined();
  });
});

describe('problems of a prompt', () => {
  const required = ['userQuery', 'dataSection'] as const;

  it.each([
    '{{ userQuery }}{{ dataSection }}',
    '{% if false %}{{ userQuery ~ dataSection }}{% endif %}',
    '{% set q = userQuery | upper %}{{ q }}{{ [{"a": dataSection}] }}',
    '{% for c in [userQuery] %}{{ "#{dataSection}" }}{% endfor %}',
    '{% macro m(a=userQuery) %}{{ a }}{% endmacro %}{{ m(a=dataSection) }}',
    '{% filter trim %}{{ userQuery }}{{ dataSection is empty ? 1 : 2 }}{% endfilter %}',
  ])('%s has no problem', async (template) => {
    expect(await templates.problem(template, required, signal)).toBeUndefined();
  });

  it.each([
    ['', 'The template must use "userQuery" and "dataSection"'],
    ['{{ userQuery }}', 'The template must use "dataSection"'],
    ['{# {{ userQuery }} #}{{ dataSection }}', 'The template must use "userQuery"'],
    ['{% verbatim %}{{ userQuery }}{% endverbatim %}{{ dataSection }}', 'The template must use "userQuery"'],
    ['userQuery {{ "userQuery" }} {{ x.userQuery }} {{ dataSection }}', 'The template must use "userQuery"'],
    ['{% set userQuery = 1 %}{{ dataSection }}', 'The template must use "userQuery"'],
    ['{{ userQuery }}\n{{ dataSection', 'Line 2: "{{" is not closed'],
    ['{{ userQuery | nonsense }}{{ dataSection }}', 'Line 1: Unknown filter "nonsense"'],
    ['{% include "x" %}', 'Line 1: The tag "include" does not exist in prompt templates'],
  ])('%j: %s', async (template, problem) => {
    expect(await templates.problem(template, required, signal)).toBe(problem);
  });
});

describe('rendering in a thread', () => {
  it('keeps dates, doubles and nested metadata', async () => {
    const template =
      '{% set r = results[1] %}{{ r.score }} {{ results[0].memoryCreatedAt }} {{ r.memoryMetadata.deep }} [{{ r.memoryCreatedAt }}]';
    expect(await templates.render(template, variables(), signal)).toBe('1.0 2026-03-03T09:30:00Z {a={b=c}} []');
  });

  it('does not evaluate the value of a variable as a template', async () => {
    const given = variables({ userQuery: '{{ 1 + 1 }}{% if %}', dataSection: '#{1} {# x #}' });
    expect(await templates.render('{{ userQuery }} {{ "#{dataSection}" }}', given, signal)).toBe(
      '{{ 1 + 1 }}{% if %} #{1} {# x #}',
    );
  });

  it('prints 1 MiB and no byte more', async () => {
    const most = 1_048_576;
    const given = variables({ userQuery: 'ü'.repeat(most / 2) });
    expect(Buffer.byteLength(await templates.render('{{ userQuery }}', given, signal))).toBe(most);
    await expect(templates.render('{{ userQuery }}.', given, signal)).rejects.toMatchObject({ kind: 'limit' });
  });

  it('classifies the error', async () => {
    await expect(templates.render('{{', variables(), signal)).rejects.toMatchObject({ kind: 'syntax' });
    await expect(templates.render('{{ 1 / 0 }}', variables(), signal)).rejects.toMatchObject({
      kind: 'runtime',
      message: 'Line 1: Division by zero',
    });
  });
});

describe('docs/templates.md', () => {
  const text = readFileSync(new URL('../../../../../docs/templates.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/### (\d+\. .+)\n\n```twig\n([\s\S]*?)\n```\n\n```text\n([\s\S]*?)```/g)];
  const data = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '', (key, value: unknown) =>
    typeof value === 'string' && ['chunkTimestamp', 'memoryCreatedAt'].includes(key) ? new Date(value) : value,
  ) as TemplateVariables;

  it('shows ten examples', () => {
    expect(examples).toHaveLength(10);
  });

  it.each(examples.map(([, name, template, printed]) => [name, template, printed]))('%s', (_, template, printed) => {
    expect(outcome(template ?? '', data).replace(/\n?$/, '\n')).toBe(printed);
  });
});
