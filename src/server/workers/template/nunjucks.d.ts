/** Types of the parser of nunjucks. The package declares only the parts that compile and run templates. */
declare module 'nunjucks/src/nodes.js' {
  /** A node of the tree; `fields` has the names of its members. */
  export interface Node {
    readonly typename: string;
    readonly fields: readonly string[];
    /** From 0. */
    readonly lineno: number;
    readonly colno: number;
  }

  export type NodeConstructor = new (lineno: number, colno: number, ...fields: unknown[]) => Node;

  interface Nodes {
    readonly Add: NodeConstructor;
    readonly And: NodeConstructor;
    readonly BinOp: NodeConstructor & { extend(name: string): NodeConstructor };
    readonly Capture: NodeConstructor;
    readonly Compare: NodeConstructor;
    readonly CompareOperand: NodeConstructor;
    readonly Concat: NodeConstructor;
    readonly Div: NodeConstructor;
    readonly Filter: NodeConstructor;
    readonly InlineIf: NodeConstructor;
    readonly Is: NodeConstructor;
    readonly Literal: NodeConstructor;
    readonly Mod: NodeConstructor;
    readonly Mul: NodeConstructor;
    readonly Neg: NodeConstructor;
    readonly NodeList: new (lineno: number, colno: number, children?: Node[]) => Node & { children: Node[] };
    readonly Not: NodeConstructor;
    readonly Or: NodeConstructor;
    readonly Output: NodeConstructor;
    readonly Pos: NodeConstructor;
    readonly Sub: NodeConstructor;
    readonly Symbol: NodeConstructor;
  }

  const nodes: Nodes;
  export = nodes;
}

declare module 'nunjucks/src/lexer.js' {
  export interface Token {
    readonly type: string;
    readonly value: string;
    /** From 0. */
    readonly lineno: number;
    readonly colno: number;
  }

  const lexer: {
    readonly TOKEN_STRING: string;
    readonly TOKEN_DATA: string;
    readonly TOKEN_BLOCK_START: string;
    readonly TOKEN_BLOCK_END: string;
    readonly TOKEN_VARIABLE_START: string;
    readonly TOKEN_VARIABLE_END: string;
    readonly TOKEN_LEFT_PAREN: string;
    readonly TOKEN_RIGHT_PAREN: string;
    readonly TOKEN_LEFT_BRACKET: string;
    readonly TOKEN_RIGHT_BRACKET: string;
    readonly TOKEN_LEFT_CURLY: string;
    readonly TOKEN_RIGHT_CURLY: string;
    readonly TOKEN_OPERATOR: string;
    readonly TOKEN_COMMA: string;
    readonly TOKEN_COLON: string;
    readonly TOKEN_TILDE: string;
    readonly TOKEN_PIPE: string;
    readonly TOKEN_INT: string;
    readonly TOKEN_FLOAT: string;
    readonly TOKEN_BOOLEAN: string;
    readonly TOKEN_NONE: string;
    readonly TOKEN_SYMBOL: string;
  };
  export = lexer;
}

declare module 'nunjucks/src/parser.js' {
  import type { Token } from 'nunjucks/src/lexer.js';
  import type { Node } from 'nunjucks/src/nodes.js';

  /** The interface of a lexer; null at the end. */
  export interface TokenSource {
    nextToken(): Token | null;
    readonly tags: { readonly VARIABLE_START: string; readonly VARIABLE_END: string; readonly COMMENT_START: string };
  }

  class Parser {
    protected breakOnBlocks: readonly string[] | null;
    constructor(tokens: TokenSource);
    parseAsRoot(): Node;
    protected nextToken(): Token | null;
    protected peekToken(): Token | null;
    protected skip(type: string): boolean;
    protected skipValue(type: string, value: string): boolean;
    protected skipSymbol(value: string): boolean;
    protected expect(type: string): Token;
    protected fail(message: string, lineno?: number, colno?: number): never;
    protected advanceAfterBlockEnd(name?: string): Token;
    protected parseStatement(): Node | null;
    protected parseIf(): Node;
    protected parseFilterStatement(): Node;
    protected parseExpression(): Node;
    protected parsePrimary(noPostfix?: boolean): Node;
    protected parsePostfix(node: Node): Node;
    protected parseSignature(): Node & { children: Node[] };
    protected parseUntilBlocks(...names: string[]): Node;
  }

  const parser: { readonly Parser: typeof Parser };
  export = parser;
}
