import { truncateCodePoints } from '../../../shared/text.ts';
import { MAX_ITEMS, MAX_NESTING } from './limits.ts';
import { type FilterSource, filterError, type Place } from './place.ts';
import { Scanner, type Token } from './scanner.ts';

const LONGEST_QUOTE = 40;

/** Token access of the parser: takes an expected token, or throws an error with what was expected and found. */
export class TokenReader {
  readonly #scanner: Scanner;
  #depth = 0;

  constructor(source: FilterSource) {
    this.#scanner = new Scanner(source);
  }

  peek(): Token {
    return this.#scanner.peek();
  }

  take(): Token {
    return this.#scanner.take();
  }

  isSymbol(symbol: string): boolean {
    const token = this.peek();
    return token.kind === 'symbol' && token.value === symbol;
  }

  takeSymbol(symbol: string): Token | undefined {
    return this.isSymbol(symbol) ? this.take() : undefined;
  }

  takeWord(word: string): Token | undefined {
    const token = this.peek();
    return token.kind === 'word' && token.value === word ? this.take() : undefined;
  }

  expectSymbol(symbol: string): Token {
    return this.takeSymbol(symbol) ?? this.#refuse(`"${symbol}"`);
  }

  /** One of `words` (in capitals); `expected` names them in the error. */
  expectWord<W extends string>(words: readonly W[], expected: string): W {
    const token = this.peek();
    const word = words.find((each) => token.kind === 'word' && token.value === each);
    if (word === undefined) {
      return this.#refuse(expected);
    }
    this.take();
    return word;
  }

  expectString(expected: string): Token {
    return this.peek().kind === 'string' ? this.take() : this.#refuse(expected);
  }

  expectDigits(): string {
    const token = this.peek();
    return token.kind === 'number' && /^[0-9]+$/.test(token.raw) ? this.take().raw : this.#refuse('an index (digits)');
  }

  expectEnd(): void {
    if (this.peek().kind !== 'end') {
      this.#refuse('an operator or end of text');
    }
  }

  /** `item {"," item} close`, at least one item. */
  list<T>(close: ')' | ']', item: () => T): T[] {
    const items: T[] = [];
    do {
      if (items.length === MAX_ITEMS) {
        throw filterError(this.peek().at, `a list may have at most ${MAX_ITEMS} items`);
      }
      items.push(item());
    } while (this.takeSymbol(',') !== undefined);
    if (this.takeSymbol(close) === undefined) {
      this.#refuse(`"," or "${close}"`);
    }
    return items;
  }

  /** Runs a rule one nesting level deeper. */
  nested<T>(at: Place, rule: () => T): T {
    if (this.#depth === MAX_NESTING) {
      throw filterError(at, `nested deeper than ${MAX_NESTING} levels`);
    }
    this.#depth += 1;
    const result = rule();
    this.#depth -= 1;
    return result;
  }

  /** The error for the next token. */
  unexpected(expected: string) {
    const token = this.peek();
    return filterError(token.at, `expected ${expected} but found ${describeToken(token)}`);
  }

  #refuse(expected: string): never {
    throw this.unexpected(expected);
  }
}

function describeToken({ kind, raw }: Token): string {
  if (kind === 'end') {
    return 'end of text';
  }
  const quoted = truncateCodePoints(raw, LONGEST_QUOTE);
  const shown = quoted === raw ? raw : `${quoted}…`;
  return kind === 'word' || kind === 'symbol' ? `"${shown}"` : shown;
}
