import { type FilterSource, filterError, type Place } from './place.ts';
import { scanString } from './strings.ts';

export interface Token {
  kind: 'word' | 'number' | 'string' | 'symbol' | 'end';
  /** As written. */
  raw: string;
  /** The content of a string, a word in capitals, otherwise as written. */
  value: string;
  at: Place;
}

const BLANK = /(?:[ \t\r\n\f\v]+|--[^\r\n]*)+/y;
const WORD = /[\p{L}_][\p{L}\p{M}\p{Nd}_]*/uy;
const NUMBER = /[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SYMBOL = /==|!=|<>|<=|>=|\|\||[=<>()[\],+\-*/%]/y;

/** Reads the tokens of a filter on demand, so that the first error in the filter is the one that is reported. */
export class Scanner {
  readonly #source: FilterSource;
  #offset = 0;
  #next: Token | undefined;

  constructor(source: FilterSource) {
    this.#source = source;
  }

  peek(): Token {
    this.#next ??= this.#scan();
    return this.#next;
  }

  take(): Token {
    const token = this.peek();
    this.#next = undefined;
    return token;
  }

  #scan(): Token {
    this.#match(BLANK);
    const at: Place = { source: this.#source, offset: this.#offset };
    const { text } = this.#source;
    const first = text[this.#offset];
    if (first === undefined) {
      return { kind: 'end', raw: '', value: '', at };
    }
    if (first === "'") {
      const { value, end } = scanString(at);
      this.#offset = end;
      return { kind: 'string', raw: text.slice(at.offset, end), value, at };
    }
    const word = this.#match(WORD);
    if (word !== undefined) {
      return { kind: 'word', raw: word, value: word.toUpperCase(), at };
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) {
      return { kind: 'number', raw: number, value: number, at };
    }
    const symbol = this.#match(SYMBOL);
    if (symbol !== undefined) {
      return { kind: 'symbol', raw: symbol, value: symbol, at };
    }
    throw filterError(at, unexpected(text, this.#offset));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#source.text)?.[0];
    this.#offset += found?.length ?? 0;
    return found;
  }
}

function unexpected(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  if (character === '"') {
    return 'write text in single quotes';
  }
  if (/\p{Cc}/u.test(character)) {
    return `unexpected control character U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  }
  return `unexpected character "${character}"`;
}
