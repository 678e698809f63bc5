import { allTexts, type Expression, isLiteral, type Literal, type ReadType } from './ast.ts';
import type { Parameters } from './fragment.ts';

/** A value of a top-level member of the metadata, of which the index of the keys tells which memories may have it. */
interface Value {
  member: string;
  /** As the index has it, but for the form of a number. */
  text: string;
  isNumber: boolean;
}

/** A memory that has none of these values cannot pass the filter. */
type Clause = readonly Value[];

/** A longer list of values is left to the filter itself. */
const MOST_VALUES = 100;

/**
 * The condition, over the indexed keys of a memory (`svc_filter_keys`), that every memory which passes the filter meets;
 * undefined when there is none. `space` is the parameter of the memory's space.
 */
export function compileKeys(
  condition: Expression,
  { alias, space, parameters }: { alias: string; space: string; parameters: Parameters },
): string | undefined {
  const clauses = clausesOf(condition).filter(({ length }) => length <= MOST_VALUES);
  const conditions = clauses.map((clause) => {
    const keys = clause.map(({ member, text, isNumber }) => {
      const value = isNumber ? `trim_scale(${parameters.add(text, 'numeric')})::text` : parameters.add(text, 'text');
      return `svc_filter_key(${space}, ${parameters.add(member, 'text')}, ${value})`;
    });
    // The last one is that of a memory which has too many to name them all.
    const all = [...keys, `svc_filter_key(${space}, '', '')`].join(', ');
    return `svc_filter_keys(${alias}.space_id, ${alias}.metadata) && array[${all}]`;
  });
  return conditions.length === 0 ? undefined : conditions.join(' and ');
}

/** What the expression implies where it is true. */
function clausesOf(expression: Expression): Clause[] {
  switch (expression.kind) {
    case 'logic': {
      const operands = expression.operands.map(clausesOf);
      if (expression.operator === 'and') return operands.flat();
      const shortest = operands.map((clauses) => clauses.toSorted((a, b) => a.length - b.length)[0]);
      return shortest.every((clause) => clause !== undefined) ? [shortest.flat()] : [];
    }
    case 'compare':
      return expression.operator === '=' ? equality(...memberFirst(expression.left, expression.right)) : [];
    case 'oneOf':
      return equality(expression.value, expression.items);
    case 'contains':
      return items(expression.left, expression.right).map((value) => [value]);
    case 'overlaps': {
      const clause = items(expression.left, expression.right);
      return clause.length === 0 ? [] : [clause];
    }
    default:
      return [];
  }
}

function memberFirst(left: Expression, right: Expression): [Expression, Expression[]] {
  return isLiteral(left) ? [right, [left]] : [left, [right]];
}

/** That a member equals one of these literals. */
function equality(left: Expression, right: readonly Expression[]): Clause[] {
  const member = memberOf(left, ['TEXT', 'NUMERIC', 'INTEGER', 'BOOLEAN']);
  if (member === undefined || right.length === 0 || !right.every(isLiteral)) return [];
  const values = right.flatMap((literal) => valueEqualTo(member, literal) ?? []);
  return values.length === 0 ? [] : [values];
}

function valueEqualTo(member: string, literal: Literal): Value | undefined {
  // Nothing equals NULL.
  if (literal.kind === 'null') return undefined;
  return { member, text: String(literal.value), isNumber: literal.kind === 'number' };
}

/** The strings on the right that an array on the left is held against. */
function items(left: Expression, right: Expression): Value[] {
  const member = memberOf(left, ['ARRAY', 'ELEMENTS']);
  const texts = right.kind === 'array' ? allTexts(right) : undefined;
  return member === undefined || texts === undefined ? [] : texts.map((text) => ({ member, text, isNumber: false }));
}

/** The name of the top-level member that is read as one of these types. */
function memberOf(expression: Expression, types: readonly ReadType[]): string | undefined {
  if (expression.kind !== 'read' || !types.includes(expression.as)) return undefined;
  const [step, ...others] = expression.path;
  return step?.kind === 'member' && others.length === 0 ? step.name : undefined;
}
