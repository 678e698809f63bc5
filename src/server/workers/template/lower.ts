import type { Node } from 'nunjucks/src/nodes.js';
import type { Arguments, BinaryOperator, Macro, Template, TemplateExpression, TemplateStatement } from './ast.ts';
import { quoted, syntaxFailure } from './failure.ts';
import { FILTERS } from './filters/table.ts';
import { FUNCTIONS } from './functions.ts';
import {
  argumentsOf,
  bindArguments,
  checkDepth,
  child,
  children,
  literal,
  macroParametersOf,
  nodesBelow,
  optionalChild,
  symbol,
  textField,
} from './nunjucks-nodes.ts';
import { TESTS } from './tests.ts';

/**
 * Checks and lowers a tree of nunjucks: names resolved, arguments in order. Throws syntax failures for unknown names, so
 * that an invalid template is refused before it runs.
 */
export function lower(root: Node): Template {
  checkDepth(root);
  const lowering = new Lowering(root);
  const body = lowering.statements(root);
  return { body, macros: lowering.macros, names: lowering.names };
}

const BINARY: Readonly<Record<string, BinaryOperator>> = {
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  Mod: '%',
  Concat: '~',
  Range: '..',
  Contains: 'contains',
};
const LAZY = { And: 'and', Or: 'or', Coalesce: '??' } as const;
const UNARY = { Not: 'not', Neg: '-', Pos: '+' } as const;
const COMPARISONS: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];

class Lowering {
  readonly macros = new Map<string, Macro>();
  readonly names = new Set<string>();
  readonly #parameters = new Map<string, readonly string[]>();

  /** Collects the parameters of all macros first, since a macro may be called before its definition. */
  constructor(root: Node) {
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.typename === 'Macro') this.#declare(node);
      for (const below of nodesBelow(node)) open.push(below);
    }
  }

  statements(list: Node): TemplateStatement[] {
    return children(list).flatMap((node) => this.#statement(node));
  }

  #declare(node: Node): void {
    const name = symbol(child(node, 'name'), 'the name of a macro');
    if (this.#parameters.has(name)) throw syntaxFailure(`The macro ${quoted(name)} is defined twice`, node.lineno + 1);
    if (Object.hasOwn(FUNCTIONS, name)) throw syntaxFailure(`${quoted(name)} is a function`, node.lineno + 1);
    this.#parameters.set(
      name,
      macroParametersOf(node).map(({ name }) => name),
    );
  }

  #statement(node: Node): TemplateStatement[] {
    const line = node.lineno + 1;
    switch (node.typename) {
      case 'Output':
        return children(node).map((part) =>
          part.typename === 'TemplateData'
            ? { kind: 'text', text: textField(part, 'value') }
            : { kind: 'print', line, value: this.#expression(part) },
        );
      case 'If':
        return [this.#if(node)];
      case 'For':
        return [
          {
            kind: 'for',
            line,
            name: symbol(child(node, 'name'), 'one variable of a loop (a map gives entries with key and value)'),
            over: this.#expression(child(node, 'arr')),
            body: this.statements(child(node, 'body')),
            otherwise: this.#block(optionalChild(node, 'else_')),
          },
        ];
      case 'Set':
        return [this.#set(node)];
      case 'Macro':
        this.#macro(node);
        return [];
      default:
        throw syntaxFailure('Unexpected tag', line);
    }
  }

  #if(node: Node): TemplateStatement {
    const otherwise = optionalChild(node, 'else_');
    return {
      kind: 'if',
      line: node.lineno + 1,
      condition: this.#expression(child(node, 'cond')),
      yes: this.statements(child(node, 'body')),
      no: otherwise?.typename === 'If' ? [this.#if(otherwise)] : this.#block(otherwise),
    };
  }

  #block(list: Node | undefined): readonly TemplateStatement[] {
    return list === undefined ? [] : this.statements(list);
  }

  #set(node: Node): TemplateStatement {
    const [target, ...more] = children(node, 'targets');
    const value = optionalChild(node, 'value');
    if (target === undefined || more.length > 0 || value === undefined) {
      throw syntaxFailure('Expected {% set name = value %}', node.lineno + 1);
    }
    const name = symbol(target, 'the name of a variable');
    return { kind: 'set', line: node.lineno + 1, name, value: this.#expression(value) };
  }

  #macro(node: Node): void {
    this.macros.set(symbol(child(node, 'name'), 'the name of a macro'), {
      parameters: macroParametersOf(node).map(({ name, fallback }) => ({
        name,
        fallback: fallback === undefined ? undefined : this.#expression(fallback),
      })),
      body: this.statements(child(node, 'body')),
    });
  }

  #expression(node: Node): TemplateExpression {
    const { typename } = node;
    if (Object.hasOwn(BINARY, typename)) return this.#binary(BINARY[typename] ?? '+', node, child(node, 'right'));
    if (typename in LAZY) {
      const operator = LAZY[typename as keyof typeof LAZY];
      return { kind: 'lazy', operator, left: this.#operand(node, 'left'), right: this.#operand(node, 'right') };
    }
    if (typename in UNARY) {
      const operator = UNARY[typename as keyof typeof UNARY];
      return { kind: 'unary', operator, operand: this.#operand(node, 'target') };
    }
    switch (typename) {
      case 'Literal':
        return { kind: 'literal', value: literal(node) };
      case 'Symbol':
        return this.#name(node);
      case 'LookupVal':
        return { kind: 'member', target: this.#operand(node, 'target'), key: this.#operand(node, 'val') };
      case 'Group':
        return this.#group(node);
      case 'Array':
        return { kind: 'list', items: children(node).map((item) => this.#expression(item)) };
      case 'Dict':
        return {
          kind: 'map',
          entries: children(node).map((pair) => [this.#operand(pair, 'key'), this.#operand(pair, 'value')] as const),
        };
      case 'Compare':
        return this.#compare(node);
      case 'InlineIf':
        return {
          kind: 'choice',
          condition: this.#operand(node, 'cond'),
          yes: this.#operand(node, 'body'),
          no: this.#operand(node, 'else_'),
        };
      default:
        return this.#invocation(node);
    }
  }

  #invocation(node: Node): TemplateExpression {
    const line = node.lineno + 1;
    switch (node.typename) {
      case 'Is': {
        const name = symbol(child(node, 'right'), 'the name of a test');
        if (!Object.hasOwn(TESTS, name)) throw syntaxFailure(`Unknown test ${quoted(name)}`, line);
        return { kind: 'test', name, operand: this.#operand(node, 'left') };
      }
      case 'Filter': {
        const name = symbol(child(node, 'name'), 'the name of a filter');
        const [input, ...args] = children(child(node, 'args'));
        const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
        if (filter === undefined || input === undefined) throw syntaxFailure(`Unknown filter ${quoted(name)}`, line);
        return {
          kind: 'filter',
          name,
          input: this.#expression(input),
          args: this.#bind(name, filter.parameters, args),
        };
      }
      case 'Capture':
        return { kind: 'capture', body: this.statements(child(node, 'body')) };
      case 'FunCall':
        return this.#call(node);
      default:
        throw syntaxFailure('Expected a value', line);
    }
  }

  #call(node: Node): TemplateExpression {
    const name = symbol(child(node, 'name'), 'the name of a function or macro (values have no methods)');
    const args = children(child(node, 'args'));
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (known !== undefined) return { kind: 'function', name, args: this.#bind(name, known.parameters, args) };
    const parameters = this.#parameters.get(name);
    if (parameters !== undefined) return { kind: 'macro', name, args: this.#bind(name, parameters, args) };
    throw syntaxFailure(`Unknown function or macro ${quoted(name)}`, node.lineno + 1);
  }

  #name(node: Node): TemplateExpression {
    const name = textField(node, 'value');
    this.names.add(name);
    return { kind: 'name', name };
  }

  #group(node: Node): TemplateExpression {
    const [only, ...more] = children(node);
    if (only === undefined || more.length > 0) throw syntaxFailure('Expected one value in brackets', node.lineno + 1);
    return this.#expression(only);
  }

  #compare(node: Node): TemplateExpression {
    const [operand] = children(node, 'ops');
    const operator = COMPARISONS.find((known) => operand !== undefined && textField(operand, 'type') === known);
    if (operand === undefined || operator === undefined) throw syntaxFailure('Expected a comparison', node.lineno + 1);
    return this.#binary(operator, node, child(operand, 'expr'), 'expr');
  }

  #binary(operator: BinaryOperator, node: Node, right: Node, left = 'left'): TemplateExpression {
    return { kind: 'binary', operator, left: this.#operand(node, left), right: this.#expression(right) };
  }

  #operand(node: Node, field: string): TemplateExpression {
    return this.#expression(child(node, field));
  }

  #bind(name: string, parameters: readonly string[] | 'any', args: readonly Node[]): Arguments {
    return bindArguments(name, parameters, args.flatMap(argumentsOf)).map((node) =>
      node === undefined ? undefined : this.#expression(node),
    );
  }
}
