import type { CompareOperator } from '../../store/filter/ast.ts';
import { type Applied, product, sum, withSign } from './arithmetic.ts';
import { element } from './functions.ts';
import { type Operand, requireType, typed } from './operand.ts';
import { elementStep } from './path.ts';
import type { FilterSource } from './place.ts';
import {
  between,
  compareOperands,
  contains,
  inArray,
  inList,
  isNull,
  likePattern,
  logic,
  overlaps,
} from './predicates.ts';
import { parsePrimary } from './primary.ts';
import { TokenReader } from './token-reader.ts';

const COMPARISONS: Record<string, CompareOperator> = {
  '=': '=',
  '==': '=',
  '!=': '<>',
  '<>': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/**
 * The grammar, with one method per rule, from the loosest binding to the tightest. Types are checked while operands are
 * combined, so the result is a typed tree. Chains are parsed in loops; recursion goes through `nested`, which limits the
 * depth of the stack.
 */
export class FilterParser {
  readonly #tokens: TokenReader;

  constructor(source: FilterSource) {
    this.#tokens = new TokenReader(source);
  }

  parse(): Operand {
    const operand = this.or();
    this.#tokens.expectEnd();
    return operand;
  }

  or(): Operand {
    return this.#chain('OR', () => this.#chain('AND', () => this.#not()));
  }

  #chain(word: 'AND' | 'OR', next: () => Operand): Operand {
    const first = next();
    const operands: [Operand, ...Operand[]] = [first];
    while (this.#tokens.takeWord(word) !== undefined) {
      operands.push(next());
    }
    return operands.length === 1 ? first : logic(word === 'AND' ? 'and' : 'or', operands);
  }

  #not(): Operand {
    const token = this.#tokens.takeWord('NOT');
    if (token === undefined) {
      return this.#predicate();
    }
    const operand = this.#tokens.nested(token.at, () => this.#not());
    return this.#negation(operand, token.at);
  }

  #negation(operand: Operand, at = operand.at): Operand {
    return typed(at, 'BOOLEAN', { kind: 'not', operand: requireType(operand, 'BOOLEAN', 'NOT') }, [operand]);
  }

  #predicate(): Operand {
    const left = this.#concat();
    const symbol = this.#tokens.peek();
    const comparison = symbol.kind === 'symbol' ? COMPARISONS[symbol.value] : undefined;
    if (comparison !== undefined) {
      this.#tokens.take();
      return compareOperands(left, comparison, this.#concat());
    }
    if (this.#tokens.takeWord('IS') !== undefined) {
      const negative = this.#tokens.takeWord('NOT') !== undefined;
      this.#tokens.expectWord(['NULL'], negative ? 'NULL' : 'NULL or NOT NULL');
      return negative ? this.#negation(isNull(left)) : isNull(left);
    }
    if (this.#tokens.takeWord('CONTAINS') !== undefined) {
      return contains(left, this.#concat());
    }
    if (this.#tokens.takeWord('OVERLAPS') !== undefined) {
      return overlaps(left, this.#concat());
    }
    const negative = this.#tokens.takeWord('NOT') !== undefined;
    const found = this.#negatable(left);
    if (found === undefined && negative) {
      throw this.#tokens.unexpected('LIKE, ILIKE, BETWEEN or IN after NOT');
    }
    return found === undefined ? left : negative ? this.#negation(found) : found;
  }

  /** The predicates that may have a NOT before their name. */
  #negatable(left: Operand): Operand | undefined {
    if (this.#tokens.takeWord('LIKE') !== undefined) {
      return likePattern(left, this.#concat(), false);
    }
    if (this.#tokens.takeWord('ILIKE') !== undefined) {
      return likePattern(left, this.#concat(), true);
    }
    if (this.#tokens.takeWord('BETWEEN') !== undefined) {
      const low = this.#concat();
      this.#tokens.expectWord(['AND'], 'AND');
      return between(left, low, this.#concat());
    }
    return this.#tokens.takeWord('IN') === undefined ? undefined : this.#in(left);
  }

  #in(left: Operand): Operand {
    const open = this.#tokens.takeSymbol('(');
    if (open === undefined) {
      return inArray(left, this.#concat());
    }
    const items = this.#tokens.nested(open.at, () => this.#tokens.list(')', () => this.or()));
    const [only] = items;
    return items.length === 1 && only?.type === 'ARRAY' ? inArray(left, only) : inList(left, items);
  }

  #concat(): Operand {
    const first = this.#sum();
    const operands = [first];
    while (this.#tokens.takeSymbol('||') !== undefined) {
      operands.push(this.#sum());
    }
    if (operands.length === 1) {
      return first;
    }
    const texts = operands.map((operand) => requireType(operand, 'TEXT', '"||"'));
    return typed(first.at, 'TEXT', { kind: 'concat', operands: texts }, operands);
  }

  #sum(): Operand {
    return sum(...this.#operators(['+', '-'], () => this.#product()));
  }

  #product(): Operand {
    return product(...this.#operators(['*', '/', '%'], () => this.#unary()));
  }

  #operators<O extends string>(symbols: readonly O[], next: () => Operand): [Operand, Applied<O>[]] {
    const first = next();
    const rest: Applied<O>[] = [];
    for (;;) {
      const operator = symbols.find((symbol) => this.#tokens.isSymbol(symbol));
      if (operator === undefined) {
        return [first, rest];
      }
      const { at } = this.#tokens.take();
      rest.push({ operator, at, operand: next() });
    }
  }

  #unary(): Operand {
    for (const sign of ['+', '-'] as const) {
      const token = this.#tokens.takeSymbol(sign);
      if (token !== undefined) {
        return withSign(
          token.at,
          sign,
          this.#tokens.nested(token.at, () => this.#unary()),
        );
      }
    }
    let operand = parsePrimary(this.#tokens, () => this.or());
    for (let bracket = this.#tokens.takeSymbol('['); bracket !== undefined; bracket = this.#tokens.takeSymbol('[')) {
      const digits = this.#tokens.expectDigits();
      this.#tokens.expectSymbol(']');
      operand = element(operand, Number(digits), elementStep(digits), bracket.at);
    }
    return operand;
  }
}
