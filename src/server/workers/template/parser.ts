import lexer, { type Token } from 'nunjucks/src/lexer.js';
import nodes, { type Node, type NodeConstructor } from 'nunjucks/src/nodes.js';
import nunjucks from 'nunjucks/src/parser.js';
import { limitFailure, quoted, syntaxFailure, TemplateFailure } from './failure.ts';
import { tokenize } from './lexer.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

const Contains = nodes.BinOp.extend('Contains');
const Range = nodes.BinOp.extend('Range');
const Coalesce = nodes.BinOp.extend('Coalesce');

/** Parses the right operand and creates the node of an operator; the parser is positioned after the operator. */
type Infix = (parser: PebbleParser, left: Node, precedence: number) => Node;

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': '==',
  equals: '==',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Pebble's precedences, which differ from those of nunjucks: a filter binds tighter than `*`, `~` tighter than a filter. */
const INFIX: ReadonlyMap<string, readonly [precedence: number, parse: Infix]> = new Map([
  ['or', [10, binary(nodes.Or)]],
  ['and', [15, binary(nodes.And)]],
  ['is', [20, (parser, left) => parser.parseTest(left)]],
  ['contains', [20, binary(Contains)]],
  ...Object.keys(COMPARISONS).map((word): [string, [number, Infix]] => [word, [30, comparison(word)]]),
  ['+', [40, binary(nodes.Add)]],
  ['-', [40, binary(nodes.Sub)]],
  ['*', [60, binary(nodes.Mul)]],
  ['/', [60, binary(nodes.Div)]],
  ['%', [60, binary(nodes.Mod)]],
  ['|', [100, (parser, left) => parser.parseFilterOf(left)]],
  ['~', [110, binary(nodes.Concat)]],
  ['..', [120, binary(Range)]],
  ['??', [120, binary(Coalesce)]],
]);
/** Binds looser than tests and comparisons: `not a is empty` means `not (a is empty)`. */
const NOT = 18;
const SIGN = 500;

const TAGS = new Set(['if', 'for', 'set', 'macro', 'filter']);
const ABSENT = new Set([
  'include',
  'import',
  'from',
  'extends',
  'block',
  'embed',
  'cache',
  'parallel',
  'flush',
  'autoescape',
  'i18n',
  'call',
]);
const BEGINS_VALUE = new Set([
  lexer.TOKEN_STRING,
  lexer.TOKEN_INT,
  lexer.TOKEN_FLOAT,
  lexer.TOKEN_BOOLEAN,
  lexer.TOKEN_NONE,
  lexer.TOKEN_SYMBOL,
  lexer.TOKEN_LEFT_PAREN,
  lexer.TOKEN_LEFT_BRACKET,
  lexer.TOKEN_LEFT_CURLY,
]);

/** Parses a template. Throws syntax failures, and a limit failure if it is too long or nested too deeply. */
export function parse(source: string): Node {
  if (source.length > TEMPLATE_LIMITS.templateLength) {
    throw limitFailure(`The template is longer than ${TEMPLATE_LIMITS.templateLength} characters`);
  }
  const tokens = tokenize(source);
  let next = 0;
  const parser = new PebbleParser({
    nextToken: () => tokens[next++] ?? null,
    tags: { VARIABLE_START: '{{', VARIABLE_END: '}}', COMMENT_START: '{#' },
  });
  try {
    return parser.parseAsRoot();
  } catch (error) {
    if (error instanceof TemplateFailure || !(error instanceof Error)) throw error;
    throw translated(error, tokens[next - 1] ?? tokens.at(-1));
  }
}

/** The grammar of nunjucks with Pebble's expressions, and without the tags that load other templates. */
class PebbleParser extends nunjucks.Parser {
  #depth = 0;

  parseTest(left: Node): Node {
    const not = this.skipSymbol('not');
    const token = this.nextToken();
    if (token?.type !== lexer.TOKEN_SYMBOL && token?.type !== lexer.TOKEN_NONE) this.#unexpected(token);
    const args = this.peekToken()?.type === lexer.TOKEN_LEFT_PAREN ? this.parseSignature().children : [];
    if (args.length > 0) this.fail('a test takes no arguments', token.lineno, 0);
    const name = new nodes.Symbol(token.lineno, token.colno, token.value);
    const test = new nodes.Is(token.lineno, token.colno, left, name);
    return not ? new nodes.Not(token.lineno, token.colno, test) : test;
  }

  parseFilterOf(input: Node): Node {
    const { value, lineno, colno } = this.expect(lexer.TOKEN_SYMBOL);
    const args = this.peekToken()?.type === lexer.TOKEN_LEFT_PAREN ? this.parseSignature().children : [];
    const name = new nodes.Symbol(lineno, colno, value);
    return new nodes.Filter(lineno, colno, name, new nodes.NodeList(lineno, colno, [input, ...args]));
  }

  /** Parses operators that bind at least as tightly as `precedence`. */
  parseInfix(precedence: number): Node {
    let left = this.#prefix();
    for (;;) {
      const token = this.peekToken();
      const [own, parseRight] = (token?.type !== lexer.TOKEN_STRING && INFIX.get(token?.value ?? '')) || [];
      if (own === undefined || parseRight === undefined || own < precedence) return left;
      this.nextToken();
      left = parseRight(this, left, own);
    }
  }

  protected override parseExpression(): Node {
    return this.#nested(() => {
      const condition = this.parseInfix(0);
      if (!this.skipValue(lexer.TOKEN_OPERATOR, '?')) return condition;
      const body = this.parseExpression();
      this.expect(lexer.TOKEN_COLON);
      return new nodes.InlineIf(condition.lineno, condition.colno, condition, body, this.parseExpression());
    });
  }

  protected override parsePrimary(noPostfix?: boolean): Node {
    const token = this.peekToken();
    if (token === null || !BEGINS_VALUE.has(token.type)) this.#unexpected(token);
    if (token.type !== lexer.TOKEN_INT) return super.parsePrimary(noPostfix);
    this.nextToken();
    const value = BigInt(token.value);
    if (value > 9_223_372_036_854_775_807n) this.fail('the number is too large', token.lineno, 0);
    return new nodes.Literal(token.lineno, token.colno, value);
  }

  protected override parseStatement(): Node | null {
    const token = this.peekToken();
    if (token?.type === lexer.TOKEN_SYMBOL && !this.breakOnBlocks?.includes(token.value)) {
      const name = quoted(token.value);
      if (ABSENT.has(token.value)) this.fail(`the tag ${name} does not exist in prompt templates`, token.lineno, 0);
      if (!TAGS.has(token.value)) this.fail(`unexpected tag ${name}`, token.lineno, 0);
    }
    return this.#nested(() => super.parseStatement());
  }

  // nunjucks parses each `elseif` inside the previous one.
  protected override parseIf(): Node {
    return this.#nested(() => super.parseIf());
  }

  /** `{% filter upper | trim %}`: nunjucks supports only one filter. */
  protected override parseFilterStatement(): Node {
    const { lineno, colno } = this.expect(lexer.TOKEN_SYMBOL);
    const capture: Node & { body?: Node } = new nodes.Capture(lineno, colno);
    let filtered = this.parseFilterOf(capture);
    while (this.skip(lexer.TOKEN_PIPE)) filtered = this.parseFilterOf(filtered);
    this.advanceAfterBlockEnd('filter');
    capture.body = this.parseUntilBlocks('endfilter');
    this.advanceAfterBlockEnd();
    return new nodes.Output(lineno, colno, [filtered]);
  }

  #prefix(): Node {
    return this.#nested(() => {
      const token = this.peekToken();
      const { lineno, colno } = token ?? { lineno: 0, colno: 0 };
      if (this.skipSymbol('not')) return new nodes.Not(lineno, colno, this.parseInfix(NOT));
      if (this.skipValue(lexer.TOKEN_OPERATOR, '-')) return new nodes.Neg(lineno, colno, this.parseInfix(SIGN));
      if (this.skipValue(lexer.TOKEN_OPERATOR, '+')) return new nodes.Pos(lineno, colno, this.parseInfix(SIGN));
      return this.parsePrimary();
    });
  }

  #nested<T>(inside: () => T): T {
    // Two levels per bracket: the expression in it, and the operand that it forms.
    if (this.#depth >= 2 * TEMPLATE_LIMITS.nesting) {
      throw limitFailure(`The template nests deeper than ${TEMPLATE_LIMITS.nesting} levels`);
    }
    this.#depth += 1;
    const result = inside();
    this.#depth -= 1;
    return result;
  }

  #unexpected(token: Token | null): never {
    if (token === null) this.fail('unexpected end of the template');
    this.fail(`unexpected ${quoted(token.value)}`, token.lineno, 0);
  }
}

function binary(Operator: NodeConstructor): Infix {
  return (parser, left, precedence) => new Operator(left.lineno, left.colno, left, parser.parseInfix(precedence + 1));
}

function comparison(word: string): Infix {
  return (parser, left, precedence) => {
    const { lineno, colno } = left;
    const right = new nodes.CompareOperand(lineno, colno, parser.parseInfix(precedence + 1), COMPARISONS[word]);
    return new nodes.Compare(lineno, colno, left, [right]);
  };
}

/** Translates an error of nunjucks: its own message if it is a syntax error; any other error means an unexpected end. */
function translated(error: Error, last: Token | undefined): TemplateFailure {
  if (error instanceof RangeError) return limitFailure('The template nests too deeply');
  const known = 'lineno' in error && typeof error.lineno === 'number' && error.lineno > 0;
  if (!known) return syntaxFailure('Unexpected end of the template', (last?.lineno ?? 0) + 1);
  return syntaxFailure(shortened(error.message), Number(error.lineno));
}

const MESSAGE = 120;

/** The message of the parser, shortened (it may quote a whole token) and without the names of its methods. */
function shortened(message: string): string {
  const words = message.replace(/^parse[A-Za-z]+: |^advanceAfterBlockEnd: /, '').replace(/[\p{C}\s]+/gu, ' ');
  const cut = words.length > MESSAGE ? `${words.slice(0, MESSAGE)}…` : words;
  return `${cut.charAt(0).toUpperCase()}${cut.slice(1)}`;
}
