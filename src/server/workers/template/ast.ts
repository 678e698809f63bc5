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

export type Expression =
  | { kind: 'literal'; value: null | boolean | bigint | number | string }
  | { kind: 'name'; name: string }
  | { kind: 'member'; target: Expression; key: Expression }
  | { kind: 'list'; items: readonly Expression[] }
  | { kind: 'map'; entries: readonly (readonly [key: Expression, value: Expression])[] }
  | { kind: 'unary'; operator: '-' | '+' | 'not'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'lazy'; operator: 'and' | 'or' | '??'; left: Expression; right: Expression }
  | { kind: 'choice'; condition: Expression; yes: Expression; no: Expression }
  | { kind: 'test'; name: string; operand: Expression }
  | { kind: 'filter'; name: string; input: Expression; args: Arguments }
  | { kind: 'function'; name: string; args: Arguments }
  | { kind: 'macro'; name: string; args: Arguments }
  /** What a block prints, as the input of a filter. */
  | { kind: 'capture'; body: readonly Statement[] };

/** In the order of the parameters; undefined where an argument was left out. */
export type Arguments = readonly (Expression | undefined)[];

export type Statement =
  | { kind: 'text'; text: string }
  | { kind: 'print'; line: number; value: Expression }
  | {
      kind: 'if';
      line: number;
      condition: Expression;
      yes: readonly Statement[];
      no: readonly Statement[];
    }
  | {
      kind: 'for';
      line: number;
      name: string;
      over: Expression;
      body: readonly Statement[];
      otherwise: readonly Statement[];
    }
  | { kind: 'set'; line: number; name: string; value: Expression };

export interface Macro {
  parameters: readonly { name: string; fallback: Expression | undefined }[];
  body: readonly Statement[];
}

/** A template that has been read, with everything in it known to exist. */
export interface Template {
  body: readonly Statement[];
  macros: ReadonlyMap<string, Macro>;
  /** The names of all variables that occur anywhere. */
  names: ReadonlySet<string>;
}
