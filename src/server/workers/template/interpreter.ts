import type { Arguments, Template, TemplateExpression, TemplateStatement } from './ast.ts';
import { Budget } from './budget.ts';
import { runtimeFailure } from './failure.ts';
import { FILTERS } from './filters/table.ts';
import { FUNCTIONS } from './functions.ts';
import { applySign, BINARY_OPERATORS } from './operators.ts';
import { print, TemplateOutput } from './print.ts';
import { TESTS } from './tests.ts';
import { isList, isMap, kindOf, type ListValue, member, truth, type Value } from './value.ts';

/**
 * Interprets a checked template. It generates no code, and it calls only the entries of its own tables of operators,
 * filters, functions and tests.
 */
export class Interpreter {
  /** The line of the statement being evaluated, from 1. */
  line = 1;
  readonly #budget = new Budget();
  readonly #macros: Template['macros'];

  constructor(template: Template) {
    this.#macros = template.macros;
  }

  /** Throws runtime and limit failures. */
  run(body: readonly TemplateStatement[], variables: ReadonlyMap<string, Value>): string {
    const text = this.#capture(body, new VariableScope(undefined, new Map(variables)));
    // Lone surrogates, which slice and abbreviate can leave, cannot be encoded as UTF-8: providers refuse them.
    return text.replace(/\p{Surrogate}/gu, '\uFFFD');
  }

  #capture(body: readonly TemplateStatement[], scope: VariableScope): string {
    const output = new TemplateOutput(this.#budget);
    this.#block(body, scope, output);
    return output.text();
  }

  #block(body: readonly TemplateStatement[], scope: VariableScope, output: TemplateOutput): void {
    this.#budget.enter();
    for (const statement of body) this.#statement(statement, scope, output);
    this.#budget.leave();
  }

  #statement(statement: TemplateStatement, scope: VariableScope, output: TemplateOutput): void {
    this.#budget.spend(1);
    if (statement.kind !== 'text') this.line = statement.line;
    switch (statement.kind) {
      case 'text':
        output.write(statement.text);
        break;
      case 'print':
        output.write(print(this.#value(statement.value, scope), this.#budget));
        break;
      case 'set':
        scope.assign(statement.name, this.#value(statement.value, scope));
        break;
      case 'if': {
        const chosen = truth(this.#value(statement.condition, scope)) ? statement.yes : statement.no;
        this.#block(chosen, scope, output);
        break;
      }
      case 'for':
        this.#loop(statement, scope, output);
    }
  }

  #loop(statement: Extract<TemplateStatement, { kind: 'for' }>, scope: VariableScope, output: TemplateOutput): void {
    const over = this.#value(statement.over, scope);
    // As in Pebble, null is not an empty list: even the else branch is skipped.
    if (over === null) return;
    const items = this.#elements(over);
    if (items.length === 0) this.#block(statement.otherwise, scope, output);
    const inner = new VariableScope(scope, new Map());
    const length = BigInt(items.length);
    for (const [index, item] of items.entries()) {
      const at = BigInt(index);
      const loop = new Map<string, Value>([
        ['index', at],
        ['length', length],
        ['first', index === 0],
        ['last', index === items.length - 1],
        ['revindex', length - at - 1n],
      ]);
      inner.declare('loop', loop);
      inner.declare(statement.name, item);
      this.#block(statement.body, inner, output);
    }
  }

  #elements(over: Value): ListValue {
    if (isList(over)) return over;
    if (!isMap(over)) throw runtimeFailure(`A loop needs a list or a map, not ${kindOf(over)}`);
    this.#budget.makeElements(over.size);
    return Array.from(
      over,
      ([key, value]) =>
        new Map<string, Value>([
          ['key', key],
          ['value', value],
        ]),
    );
  }

  #value(expression: TemplateExpression, scope: VariableScope): Value {
    this.#budget.enter();
    const value = this.#evaluate(expression, scope);
    this.#budget.leave();
    return value;
  }

  #evaluate(expression: TemplateExpression, scope: VariableScope): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return scope.find(expression.name);
      case 'member':
        return member(this.#value(expression.target, scope), this.#value(expression.key, scope));
      case 'list':
        this.#budget.makeElements(expression.items.length);
        return expression.items.map((item) => this.#value(item, scope));
      case 'map':
        return this.#map(expression.entries, scope);
      case 'unary':
        return this.#unary(expression.operator, this.#value(expression.operand, scope));
      case 'binary': {
        const left = this.#value(expression.left, scope);
        return BINARY_OPERATORS[expression.operator](left, this.#value(expression.right, scope), this.#budget);
      }
      case 'lazy':
        return this.#lazy(expression, scope);
      case 'choice':
        return this.#value(truth(this.#value(expression.condition, scope)) ? expression.yes : expression.no, scope);
      default:
        return this.#invoke(expression, scope);
    }
  }

  #unary(operator: '-' | '+' | 'not', operand: Value): Value {
    return operator === 'not' ? !truth(operand) : applySign(operator, operand);
  }

  #lazy(expression: Extract<TemplateExpression, { kind: 'lazy' }>, scope: VariableScope): Value {
    const left = this.#value(expression.left, scope);
    if (expression.operator === '??') return left ?? this.#value(expression.right, scope);
    const decided = truth(left) === (expression.operator === 'or');
    return decided ? expression.operator === 'or' : truth(this.#value(expression.right, scope));
  }

  #map(entries: readonly (readonly [TemplateExpression, TemplateExpression])[], scope: VariableScope): Value {
    return new Map(
      entries.map(([key, value]) => {
        const name = this.#value(key, scope);
        if (name === null) throw runtimeFailure('The key of a map is null (a fixed key needs quotes)');
        return [print(name, this.#budget), this.#value(value, scope)];
      }),
    );
  }

  #invoke(expression: TemplateExpression, scope: VariableScope): Value {
    switch (expression.kind) {
      case 'test':
        return known(TESTS, expression.name)(this.#value(expression.operand, scope), this.#budget);
      case 'filter': {
        const input = this.#value(expression.input, scope);
        return known(FILTERS, expression.name).apply(input, this.#arguments(expression.args, scope), this.#budget);
      }
      case 'function':
        return known(FUNCTIONS, expression.name).call(this.#arguments(expression.args, scope), this.#budget);
      case 'macro':
        return this.#macro(expression.name, expression.args, scope);
      case 'capture':
        return this.#capture(expression.body, new VariableScope(scope, new Map()));
      default:
        throw runtimeFailure('Unexpected expression');
    }
  }

  #arguments(args: Arguments, scope: VariableScope): Value[] {
    return args.map((argument) => (argument === undefined ? null : this.#value(argument, scope)));
  }

  /** As in Pebble, a macro has access only to its arguments. */
  #macro(name: string, args: Arguments, scope: VariableScope): Value {
    const macro = this.#macros.get(name);
    if (macro === undefined) throw runtimeFailure('Unknown macro');
    const own = new VariableScope(undefined, new Map());
    for (const [index, { name: parameter, fallback }] of macro.parameters.entries()) {
      const given = args[index];
      if (given !== undefined) own.declare(parameter, this.#value(given, scope));
      else own.declare(parameter, fallback === undefined ? null : this.#value(fallback, own));
    }
    return this.#capture(macro.body, own);
  }
}

function known<T>(table: Readonly<Record<string, T>>, name: string): T {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined) throw runtimeFailure('Unknown name');
  return entry;
}

/** Variables and the enclosing scope. The scope of a macro has no enclosing scope. */
export class VariableScope {
  readonly #around: VariableScope | undefined;
  readonly #names: Map<string, Value>;

  constructor(around: VariableScope | undefined, names: Map<string, Value>) {
    this.#around = around;
    this.#names = names;
  }

  find(name: string): Value {
    const owner = this.#owner(name);
    return owner === undefined ? null : (owner.#names.get(name) ?? null);
  }

  /** Declares a variable in this scope, even if an enclosing one has it. */
  declare(name: string, value: Value): void {
    this.#names.set(name, value);
  }

  /** Assigns in the scope that has the variable, else in this one, so that a loop can change a variable set before it. */
  assign(name: string, value: Value): void {
    (this.#owner(name) ?? this).declare(name, value);
  }

  #owner(name: string): VariableScope | undefined {
    if (this.#names.has(name)) return this;
    return this.#around === undefined ? undefined : this.#around.#owner(name);
  }
}
