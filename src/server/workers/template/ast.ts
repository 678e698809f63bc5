/** The binary operators that evaluate both sides. */
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '~'
  | '..'
  | 'contains'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>=';

export type TemplateExpression =
  | { kind: 'literal'; value: null | boolean | bigint | number | string }
  | { kind: 'name'; name: string }
  | { kind: 'member'; target: TemplateExpression; key: TemplateExpression }
  | { kind: 'list'; items: readonly TemplateExpression[] }
  | { kind: 'map'; entries: readonly (readonly [key: TemplateExpression, value: TemplateExpression])[] }
  | { kind: 'unary'; operator: '-' | '+' | 'not'; operand: TemplateExpression }
  | { kind: 'binary'; operator: BinaryOperator; left: TemplateExpression; right: TemplateExpression }
  | { kind: 'lazy'; operator: 'and' | 'or' | '??'; left: TemplateExpression; right: TemplateExpression }
  | { kind: 'choice'; condition: TemplateExpression; yes: TemplateExpression; no: TemplateExpression }
  | { kind: 'test'; name: string; operand: TemplateExpression }
  | { kind: 'filter'; name: string; input: TemplateExpression; args: Arguments }
  | { kind: 'function'; name: string; args: Arguments }
  | { kind: 'macro'; name: string; args: Arguments }
  /** The output of a block, as the input of a filter. */
  | { kind: 'capture'; body: readonly TemplateStatement[] };

/** In the order of the parameters; undefined where an argument was left out. */
export type Arguments = readonly (TemplateExpression | undefined)[];

export type TemplateStatement =
  | { kind: 'text'; text: string }
  | { kind: 'print'; line: number; value: TemplateExpression }
  | {
      kind: 'if';
      line: number;
      condition: TemplateExpression;
      yes: readonly TemplateStatement[];
      no: readonly TemplateStatement[];
    }
  | {
      kind: 'for';
      line: number;
      name: string;
      over: TemplateExpression;
      body: readonly TemplateStatement[];
      otherwise: readonly TemplateStatement[];
    }
  | { kind: 'set'; line: number; name: string; value: TemplateExpression };

export interface Macro {
  parameters: readonly { name: string; fallback: TemplateExpression | undefined }[];
  body: readonly TemplateStatement[];
}

/** A parsed and checked template. */
export interface Template {
  body: readonly TemplateStatement[];
  macros: ReadonlyMap<string, Macro>;
  /** The names of all variables that it uses. */
  names: ReadonlySet<string>;
}
