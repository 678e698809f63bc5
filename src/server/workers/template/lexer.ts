import lexer, { type Token } from 'nunjucks/src/lexer.js';
import { quoted, syntaxFailure } from './failure.ts';

const PUNCTUATION: Readonly<Record<string, string>> = {
  '(': lexer.TOKEN_LEFT_PAREN,
  ')': lexer.TOKEN_RIGHT_PAREN,
  '[': lexer.TOKEN_LEFT_BRACKET,
  ']': lexer.TOKEN_RIGHT_BRACKET,
  '{': lexer.TOKEN_LEFT_CURLY,
  '}': lexer.TOKEN_RIGHT_CURLY,
  ',': lexer.TOKEN_COMMA,
  ':': lexer.TOKEN_COLON,
  '~': lexer.TOKEN_TILDE,
  '|': lexer.TOKEN_PIPE,
};
const CONSTANTS: Readonly<Record<string, readonly [type: string, value: string]>> = {
  true: [lexer.TOKEN_BOOLEAN, 'true'],
  TRUE: [lexer.TOKEN_BOOLEAN, 'true'],
  false: [lexer.TOKEN_BOOLEAN, 'false'],
  FALSE: [lexer.TOKEN_BOOLEAN, 'false'],
  null: [lexer.TOKEN_NONE, 'null'],
  NULL: [lexer.TOKEN_NONE, 'null'],
  none: [lexer.TOKEN_NONE, 'null'],
  NONE: [lexer.TOKEN_NONE, 'null'],
};
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '#{': '}' };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

// All sticky or global: each pattern visits a character a bounded number of times, whatever the template.
const OPENING = /\{[{%#]/g;
const VERBATIM = /\s*verbatim\s*(-?)%\}/y;
const END_VERBATIM = /\{%(-?)\s*endverbatim\s*(-?)%\}/g;
const LINE_BREAK = /\r\n|\n|\r/y;
const SPACE = /\s+/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /([0-9]+(?:\.[0-9]+)?)L?/y;
const OPERATOR = /\.\.|\?\?|[=!<>]=|[-+*/%<>=?.,:~|]/y;
const PLAIN = { '"': /[^"\\#]+/y, "'": /[^'\\]+/y };

type Quote = keyof typeof PLAIN;

/** Turns Pebble's syntax into the tokens of the nunjucks parser. Throws syntax failures. */
export function tokenize(source: string): Token[] {
  return new PebbleLexer(source).run();
}

class PebbleLexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  /** Open brackets, innermost last; `#{` is an interpolation inside a double-quoted string. */
  readonly #brackets: string[] = [];
  #at = 0;
  #line = 0;
  #counted = 0;
  #trimNext = false;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) this.#data();
    return this.#tokens;
  }

  /** Text up to the next tag, and the whole tag. */
  #data(): void {
    const source = this.#source;
    OPENING.lastIndex = this.#at;
    const start = OPENING.exec(source)?.index ?? source.length;
    const opening = source.slice(start, start + 2);
    const dash = source[start + 2] === '-' && (opening !== '{{' || /\s/.test(source[start + 3] ?? ''));
    const text = source.slice(this.#at, start);
    this.#text(dash ? text.trimEnd() : text);
    this.#at = Math.min(start + (dash ? 3 : 2), source.length);
    if (opening === '{#') this.#comment();
    else if (opening === '{%' && !this.#verbatim()) {
      this.#code(lexer.TOKEN_BLOCK_START, '{%', lexer.TOKEN_BLOCK_END, '%}');
      this.#lineBreak();
    } else if (opening === '{{') this.#code(lexer.TOKEN_VARIABLE_START, '{{', lexer.TOKEN_VARIABLE_END, '}}');
  }

  #text(text: string): void {
    const value = this.#trimNext ? text.trimStart() : text;
    this.#trimNext = false;
    if (value !== '') this.#push(lexer.TOKEN_DATA, value);
  }

  /** Pebble drops one line break after a tag. */
  #lineBreak(): void {
    this.#match(LINE_BREAK);
  }

  #comment(): void {
    const end = this.#source.indexOf('#}', this.#at);
    if (end < 0) throw this.#failure('The comment is not closed');
    this.#trimNext = this.#source[end - 1] === '-';
    this.#at = end + 2;
    this.#lineBreak();
  }

  #verbatim(): boolean {
    const begin = this.#match(VERBATIM);
    if (begin === undefined) return false;
    this.#lineBreak();
    END_VERBATIM.lastIndex = this.#at;
    const end = END_VERBATIM.exec(this.#source);
    if (end === null) throw this.#failure('The tag "verbatim" is not closed');
    const text = this.#source.slice(this.#at, end.index);
    const trimmed = end[1] === '-' ? text.trimEnd() : text;
    this.#text(begin[1] === '-' ? trimmed.trimStart() : trimmed);
    this.#trimNext = end[2] === '-';
    this.#at = END_VERBATIM.lastIndex;
    this.#lineBreak();
    return true;
  }

  #code(startType: string, opening: string, endType: string, closing: string): void {
    const line = this.#countLine() + 1;
    this.#push(startType, opening);
    for (;;) {
      this.#match(SPACE);
      if (this.#at >= this.#source.length) throw syntaxFailure(`${quoted(opening)} is not closed`, line);
      if (this.#brackets.length === 0) {
        const dash = this.#source.startsWith(`-${closing}`, this.#at);
        if (dash || this.#source.startsWith(closing, this.#at)) {
          this.#push(endType, closing);
          this.#at += closing.length + (dash ? 1 : 0);
          this.#trimNext = dash;
          return;
        }
      }
      this.#token();
    }
  }

  #token(): void {
    const char = this.#source[this.#at] ?? '';
    if (char === '"' || char === "'") {
      this.#at += 1;
      this.#string(char);
    } else if ('([{'.includes(char)) {
      this.#brackets.push(char);
      this.#punctuation(char);
    } else if (')]}'.includes(char)) this.#close(char);
    else this.#word(char);
  }

  #word(char: string): void {
    const name = this.#peek(NAME)?.[0];
    const number = this.#peek(NUMBER);
    const operator = this.#peek(OPERATOR)?.[0];
    if (name !== undefined) {
      const [type, value] = (Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined) ?? [
        lexer.TOKEN_SYMBOL,
        name,
      ];
      this.#push(type, value, name.length);
    } else if (number !== undefined) {
      const value = number[1] ?? '';
      this.#push(value.includes('.') ? lexer.TOKEN_FLOAT : lexer.TOKEN_INT, value, number[0].length);
    } else if (operator !== undefined) {
      this.#push(PUNCTUATION[operator] ?? lexer.TOKEN_OPERATOR, operator, operator.length);
    } else throw this.#failure(`Unexpected character ${quoted(char)}`);
  }

  #close(char: string): void {
    const open = this.#brackets.pop();
    if (open === undefined || CLOSERS[open] !== char) throw this.#failure(`Unexpected ${quoted(char)}`);
    if (open === '#{') {
      this.#push(lexer.TOKEN_RIGHT_PAREN, ')', 1);
      this.#push(lexer.TOKEN_TILDE, '~');
      this.#string('"', true);
    } else this.#punctuation(char);
  }

  #punctuation(char: string): void {
    this.#push(PUNCTUATION[char] ?? lexer.TOKEN_OPERATOR, char, 1);
  }

  /**
   * A string, or the rest of one after an interpolation. `"a#{b}c"` becomes `("a" ~ (b) ~ "c")`, so that the parser
   * does not have to handle interpolation.
   */
  #string(quote: Quote, rest = false): void {
    const parts: string[] = [];
    const line = this.#countLine() + 1;
    for (;;) {
      const plain = this.#match(PLAIN[quote])?.[0];
      if (plain !== undefined) parts.push(plain);
      const char = this.#source[this.#at];
      if (char === undefined) throw syntaxFailure('The string is not closed', line);
      this.#at += 1;
      if (char === quote) break;
      if (char === '#' && this.#source[this.#at] === '{') {
        this.#interpolation(parts.join(''), rest);
        return;
      }
      if (char === '\\') parts.push(this.#escape(quote));
      else parts.push(char);
    }
    this.#push(lexer.TOKEN_STRING, parts.join(''));
    if (rest) this.#push(lexer.TOKEN_RIGHT_PAREN, ')');
  }

  #interpolation(before: string, rest: boolean): void {
    this.#at += 1;
    this.#brackets.push('#{');
    if (!rest) this.#push(lexer.TOKEN_LEFT_PAREN, '(');
    this.#push(lexer.TOKEN_STRING, before);
    this.#push(lexer.TOKEN_TILDE, '~');
    this.#push(lexer.TOKEN_LEFT_PAREN, '(');
  }

  #escape(quote: Quote): string {
    const char = this.#source[this.#at] ?? '';
    const value = char === quote ? quote : ESCAPES[char];
    if (value === undefined) return '\\';
    this.#at += 1;
    return value;
  }

  #peek(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source) ?? undefined;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    const found = this.#peek(pattern);
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #push(type: string, value: string, advance = 0): void {
    this.#tokens.push({ type, value, lineno: this.#countLine(), colno: 0 });
    this.#at += advance;
  }

  #countLine(): number {
    for (; this.#counted < this.#at; this.#counted += 1) {
      if (this.#source.charCodeAt(this.#counted) === 10) this.#line += 1;
    }
    return this.#line;
  }

  #failure(message: string): Error {
    return syntaxFailure(message, this.#countLine() + 1);
  }
}
