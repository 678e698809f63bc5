import { type FailureKind, quoted, TemplateFailure } from './failure.ts';
import { Interpreter } from './interpreter.ts';
import { lower } from './lower.ts';
import { parse } from './parser.ts';
import { toValue, type Value } from './value.ts';
import type { TemplateVariables } from './variables.ts';

/** Plain data, because an error loses its class and fields when it is sent between threads. */
export type TemplateOutcome = { ok: true; text: string } | { ok: false; kind: FailureKind; message: string };

interface RenderTemplateInput {
  template: string;
  variables: TemplateVariables;
}

interface CheckTemplateInput {
  template: string;
  required: readonly string[];
}

/** Renders a template. Never throws, whatever the template does. */
export function renderTemplate({ template, variables }: RenderTemplateInput): TemplateOutcome {
  let interpreter: Interpreter | undefined;
  try {
    const read = lower(parse(template));
    interpreter = new Interpreter(read);
    return { ok: true, text: interpreter.run(read.body, values(variables)) };
  } catch (error) {
    return failed(error, interpreter?.line);
  }
}

/** An empty text if the template is valid and uses all `required` variables. */
export function checkTemplate({ template, required }: CheckTemplateInput): TemplateOutcome {
  try {
    const { names } = lower(parse(template));
    const missing = required.filter((name) => !names.has(name));
    if (missing.length === 0) return { ok: true, text: '' };
    return { ok: false, kind: 'syntax', message: `The template must use ${missing.map(quoted).join(' and ')}` };
  } catch (error) {
    return failed(error, undefined);
  }
}

/** A score is a double even if it is integral: it prints as `1.0`. */
function values(variables: TemplateVariables): ReadonlyMap<string, Value> {
  const { results, ...rest } = variables;
  const items = results.map((item) => new Map(Object.entries(item).map(itemField)));
  return new Map<string, Value>([
    ...Object.entries(rest).map(([name, value]) => [name, toValue(value)] as const),
    ['results', items],
  ]);
}

function itemField([name, value]: [string, unknown]): [string, Value] {
  return [name, name === 'score' && typeof value === 'number' ? value : toValue(value)];
}

function failed(error: unknown, running: number | undefined): TemplateOutcome {
  if (error instanceof TemplateFailure) {
    const line = error.line ?? running;
    return {
      ok: false,
      kind: error.kind,
      message: line === undefined ? error.message : `Line ${line}: ${error.message}`,
    };
  }
  // The depth is limited, but frames differ in size: a stack overflow is also caused by nesting in the template.
  if (error instanceof RangeError) return { ok: false, kind: 'limit', message: 'The template needs too much memory' };
  throw error;
}
