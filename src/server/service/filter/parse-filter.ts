import type { CastType, Expression, Filter, PathStep, ReadType } from '../../store/filter/ast.ts';
import { MAX_CHARACTERS, MAX_COST } from './limits.ts';
import { requireType } from './operand.ts';
import { FilterParser } from './parser.ts';
import { type FilterSource, filterError } from './place.ts';

/**
 * Parses and types a filter; blank text is no filter. `path` is the request field that holds it, for `details`.
 * Throws INVALID_ARGUMENT at the first error.
 */
export function parseFilter(text: string, path: string): Filter | undefined {
  if (/^\s*$/.test(text)) {
    return undefined;
  }
  // A lone surrogate has no UTF-8 form: it would reach PostgreSQL as U+FFFD inside a value and as an error inside a path.
  const source: FilterSource = { text: text.replace(/\p{Cs}/gu, '\uFFFD'), path };
  checkLength(source);
  const operand = new FilterParser(source).parse();
  if (operand.type === 'OPEN' && !operand.isNull) {
    throw filterError(operand.at, 'a filter must be BOOLEAN but an uncast value is TEXT (use CAST(… AS BOOLEAN))');
  }
  const condition = requireType(operand, 'BOOLEAN', 'a filter');
  const cost = filterCost(condition);
  if (cost > MAX_COST) {
    const problem = `the filter is too expensive: it takes ${cost} steps for each memory, and at most ${MAX_COST} are allowed`;
    throw filterError({ source, offset: 0 }, `${problem} (a list after IN is one step, however long)`);
  }
  return { condition };
}

function checkLength(source: FilterSource): void {
  let offset = 0;
  let count = 0;
  for (const character of source.text) {
    count += 1;
    if (count > MAX_CHARACTERS) {
      throw filterError({ source, offset }, `a filter may have at most ${MAX_CHARACTERS} characters`);
    }
    offset += character.length;
  }
}

/**
 * The cost of converting a value to a type. Numbers and dates are checked by functions of the schema before the cast, which
 * takes 3.4 and 4.9 µs; reading and comparing a string takes 0.9 µs.
 */
const CONVERSIONS: Record<ReadType | CastType, number> = {
  TEXT: 0,
  SCALAR: 0,
  BOOLEAN: 0,
  NUMERIC: 2,
  INTEGER: 3,
  DATE: 4,
  TIMESTAMP: 4,
  ARRAY: 2,
  ELEMENTS: 2,
};
const PATTERN_CHARACTERS_A_STEP = 100;

/**
 * The cost of a filter for one memory, in steps of about a microsecond for small metadata. Expressions that are the same for
 * every memory are computed once and cost nothing here; of a list of literals only the searched value counts.
 */
function filterCost(expression: Expression): number {
  const operands = operandsOf(expression);
  const inner = operands.reduce((sum, operand) => sum + filterCost(operand), 0);
  return inner === 0 && !isRead(expression) ? 0 : inner + ownCost(expression, operands.length);
}

function isRead({ kind }: Expression): boolean {
  return kind === 'read' || kind === 'exists' || kind === 'field';
}

function ownCost(expression: Expression, operands: number): number {
  switch (expression.kind) {
    case 'read':
      return 1 + CONVERSIONS[expression.as];
    case 'exists':
      return 1 + 4 * expression.path.filter(isWildcard).length;
    case 'cast':
      return CONVERSIONS[expression.to];
    case 'like': {
      const { pattern } = expression;
      return pattern.kind === 'text' ? Math.ceil(pattern.value.length / PATTERN_CHARACTERS_A_STEP) : 2;
    }
    // Each step copies its operands, which may be long.
    case 'concat':
      return 2 * operands;
    case 'product':
    case 'contains':
    case 'overlaps':
      return 2;
    case 'addDays':
    case 'daysBetween':
      return 3;
    case 'field':
    case 'call':
    case 'extract':
      return 1;
    default:
      return 0;
  }
}

function isWildcard({ kind }: PathStep): boolean {
  return kind === 'anyMember' || kind === 'anyElement';
}

function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'logic':
    case 'concat':
    case 'coalesce':
      return expression.operands;
    case 'compare':
    case 'product':
    case 'contains':
    case 'overlaps':
      return [expression.left, expression.right];
    case 'between':
      return [expression.value, expression.low, expression.high];
    case 'oneOf':
      return [expression.value, ...expression.items];
    case 'like':
      return [expression.value, expression.pattern];
    case 'array':
      return expression.items;
    case 'sum':
      return expression.terms.map(({ operand }) => operand);
    case 'addDays':
      return [expression.base, expression.days];
    case 'daysBetween':
      return [expression.from, expression.until];
    case 'not':
    case 'isNull':
    case 'negate':
    case 'call':
    case 'extract':
    case 'cast':
      return [expression.operand];
    default:
      return [];
  }
}
