import {
  allTexts,
  type Expression,
  type FieldName,
  isLiteral,
  jsonText,
  type Literal,
  type ReadExpression,
  type SumTerm,
} from './ast.ts';
import { balancedSum, combine, type Fragment, type Parameters } from './fragment.ts';
import { existsPath, readPath } from './jsonpath.ts';
import { compileLike } from './like.ts';
import { castRead, castText, ordered, SQL_TYPES, UNICODE_CASE } from './sql-types.ts';

const FIELDS: Record<FieldName, (alias: string) => string> = {
  createdAt: (alias) => `${alias}.created_at`,
  updatedAt: (alias) => `${alias}.updated_at`,
  contentType: (alias) => `${alias}.content_type`,
  memoryId: (alias) => `${alias}.memory_id::text`,
  processingStatus: (alias) => `${alias}.processing_status::text`,
};

const free = (sql: string): Fragment => ({ sql, cost: 'free' });

/** Compiles one filter. Every operand becomes a parenthesized expression or a call, so precedence never matters. */
export class ExpressionCompiler {
  readonly #alias: string;
  readonly #parameters: Parameters;

  constructor(alias: string, parameters: Parameters) {
    this.#alias = alias;
    this.#parameters = parameters;
  }

  compile(expression: Expression): Fragment {
    switch (expression.kind) {
      case 'text':
      case 'number':
      case 'boolean':
      case 'null':
        return this.#literal(expression);
      case 'read':
        return this.#read(expression);
      case 'array':
        return this.#elements(expression);
      case 'exists':
        return this.#exists(expression.path);
      case 'field':
        return { sql: FIELDS[expression.name](this.#alias), cost: 'row' };
      case 'now':
        return { sql: 'now()', cost: 'once' };
      case 'currentDate':
        return { sql: `(now() at time zone 'UTC')::date`, cost: 'once' };
      case 'logic':
        return this.#with(expression.operands, (sql) => `(${sql.join(` ${expression.operator} `)})`);
      case 'not':
        return this.#with([expression.operand], ([operand]) => `(not ${operand})`);
      case 'isNull':
        return this.#with([expression.operand], ([operand]) => `(${operand} is null)`);
      case 'coalesce':
        return this.#with(expression.operands, (sql) => `coalesce(${sql.join(', ')})`);
      default:
        return this.#predicate(expression);
    }
  }

  #predicate(expression: Exclude<Expression, { kind: HandledAbove }>): Fragment {
    switch (expression.kind) {
      case 'compare': {
        const { operator, type, left, right } = expression;
        return this.#with([left, right], ([a, b]) => `(${ordered(a, type)} ${operator} ${ordered(b, type)})`);
      }
      case 'between':
        return this.#between(expression);
      case 'oneOf':
        return this.#oneOf(expression);
      case 'like':
        return compileLike(expression, {
          alias: this.#alias,
          parameters: this.#parameters,
          compile: (operand) => this.compile(operand),
        });
      case 'contains':
      case 'overlaps':
        return this.#membership(expression);
      default:
        return this.#computed(expression);
    }
  }

  #computed(expression: Exclude<Expression, { kind: HandledAbove | PredicateKind }>): Fragment {
    switch (expression.kind) {
      case 'concat':
        return this.#with(expression.operands, (sql) => `svc_filter_concat(array[${sql.join(', ')}])`);
      case 'sum':
        return this.#sum(expression.terms);
      case 'product':
        return this.#product(expression);
      case 'negate':
        return this.#with([expression.operand], ([operand]) => `(- ${operand})`);
      case 'addDays':
        return this.#with([expression.base, expression.days], (sql) => `svc_filter_add_days(${sql.join(', ')})`);
      case 'daysBetween':
        return this.#with([expression.until, expression.from], ([until, from]) => `(${until} - ${from})::numeric`);
      case 'call':
        return this.#call(expression);
      case 'extract':
        return this.#with(
          [expression.operand],
          ([operand]) => `extract(${expression.part.toLowerCase()} from (${operand} at time zone 'UTC'))`,
        );
      case 'cast':
        return this.#cast(expression);
    }
  }

  #with(operands: readonly Expression[], write: (sql: string[]) => string): Fragment {
    return combine(
      operands.map((operand) => this.compile(operand)),
      write,
    );
  }

  #literal(literal: Literal): Fragment {
    switch (literal.kind) {
      case 'text':
        return free(this.#parameters.add(literal.value, 'text'));
      case 'number':
        return free(this.#parameters.add(literal.value, 'numeric'));
      case 'boolean':
        return free(literal.value ? 'true' : 'false');
      case 'null':
        return free(`null::${SQL_TYPES[literal.type]}`);
    }
  }

  /** The JSON value at the path, NULL where it cannot be read as the type. */
  #json({ path, as }: ReadExpression): string {
    const jsonpath = this.#parameters.add(readPath(path, as), 'jsonpath');
    return `jsonb_path_query_first(${this.#alias}.metadata, ${jsonpath}, '{}', true)`;
  }

  #read(expression: ReadExpression): Fragment {
    const json = this.#json(expression);
    const text = `(${json} #>> '{}')`;
    return { sql: expression.as === 'SCALAR' ? json : castRead(expression.as, json, text), cost: 'row' };
  }

  #exists(path: Extract<Expression, { kind: 'exists' }>['path']): Fragment {
    const jsonpath = this.#parameters.add(existsPath(path), 'jsonpath');
    return {
      sql: `coalesce(jsonb_path_exists(${this.#alias}.metadata, ${jsonpath}, '{}', true), false)`,
      cost: 'row',
    };
  }

  #elements(array: Extract<Expression, { kind: 'array' }>): Fragment {
    const json = jsonText(array);
    if (json !== undefined) {
      return { sql: `svc_filter_elements(${this.#parameters.add(json, 'jsonb')})`, cost: 'once' };
    }
    return this.#with(array.items, (sql) => `array[${sql.map((item) => `to_jsonb(${item})`).join(', ')}]`);
  }

  #between({ type, value, low, high }: Extract<Expression, { kind: 'between' }>): Fragment {
    return this.#with([value, low, high], ([a, b, c]) => {
      return `(${ordered(a, type)} between ${ordered(b, type)} and ${ordered(c, type)})`;
    });
  }

  #oneOf({ type, value, items }: Extract<Expression, { kind: 'oneOf' }>): Fragment {
    if (!items.every(isLiteral)) {
      return this.#with([value, ...items], ([subject, ...list]) => {
        return `(${ordered(subject, type)} in (${list.map((item) => ordered(item, type)).join(', ')}))`;
      });
    }
    const subject = this.compile(value);
    const texts = items.map((item) => (item.kind === 'null' ? null : String(item.value)));
    const list = this.#parameters.add(texts, `${SQL_TYPES[type]}[]`);
    return combine([subject], ([sql]) => `(${ordered(sql, type)} = any(${list}))`);
  }

  /** With literals on the right the jsonb operators suffice: they are exact for scalars and need no function call per row. */
  #membership({ kind, left, right }: Extract<Expression, { kind: 'contains' | 'overlaps' }>): Fragment {
    if (left.kind === 'read' && right.kind === 'array') {
      const texts = allTexts(right);
      if (kind === 'overlaps' && texts !== undefined) {
        return { sql: `(${this.#json(left)} ?| ${this.#parameters.add(texts, 'text[]')})`, cost: 'row' };
      }
      const json = jsonText(right);
      if (kind === 'contains' && json !== undefined) {
        return { sql: `(${this.#json(left)} @> ${this.#parameters.add(json, 'jsonb')})`, cost: 'row' };
      }
    }
    return this.#with([left, right], (sql) => `svc_filter_${kind}(${sql.join(', ')})`);
  }

  #sum(terms: readonly SumTerm[]): Fragment {
    const fragments = terms.map(({ negative, operand }) => {
      return negative ? this.#with([operand], ([sql]) => `(- ${sql})`) : this.compile(operand);
    });
    return combine(fragments, balancedSum);
  }

  #product({ operator, left, right }: Extract<Expression, { kind: 'product' }>): Fragment {
    return this.#with([left, right], ([a, b]) => {
      if (operator === '*') {
        return `svc_filter_in_range(${a} * ${b})`;
      }
      return operator === '/' ? `svc_filter_in_range(${a} / nullif(${b}, 0))` : `(${a} % nullif(${b}, 0))`;
    });
  }

  #call({ name, operand }: Extract<Expression, { kind: 'call' }>): Fragment {
    return this.#with([operand], ([sql]) => {
      return name === 'length' ? `char_length(${sql})::numeric` : `${name}(${sql} ${UNICODE_CASE})`;
    });
  }

  #cast({ from, to, operand }: Extract<Expression, { kind: 'cast' }>): Fragment {
    return this.#with([operand], ([sql = '']) => {
      if (from === 'TEXT') {
        return castText(to, sql);
      }
      if (from === 'TIMESTAMP') {
        return `(${sql} at time zone 'UTC')::date`;
      }
      return from === 'DATE' ? `(${sql}::timestamp at time zone 'UTC')` : `svc_filter_integer(${sql})`;
    });
  }
}

type HandledAbove =
  | Literal['kind']
  | 'read'
  | 'array'
  | 'exists'
  | 'field'
  | 'now'
  | 'currentDate'
  | 'logic'
  | 'not'
  | 'isNull'
  | 'coalesce';

type PredicateKind = 'compare' | 'between' | 'oneOf' | 'like' | 'contains' | 'overlaps';
