import type { Expression } from './ast.ts';
import { BYTE_ORDER, UNICODE_CASE } from './collation.ts';
import { combine, type Fragment } from './fragment.ts';
import type { Parameters } from './parameters.ts';

type Like = Extract<Expression, { kind: 'like' }>;

const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface LikeContext {
  /** Of the memory. */
  alias: string;
  parameters: Parameters;
  compile(expression: Expression): Fragment;
}

/** The condition of LIKE and ILIKE. */
export function like({ value, pattern, ignoreCase }: Like, { alias, parameters, compile }: LikeContext): Fragment {
  const collation = ignoreCase ? UNICODE_CASE : BYTE_ORDER;
  const operator = ignoreCase ? 'ilike' : 'like';
  const subject = compile(value);
  return combine([subject, patternOf(pattern, { parameters, compile })], ([text, sql]) => {
    const matches = `${text} ${collation} ${operator} ${sql} ${collation}`;
    const isOnId = value.kind === 'field' && value.name === 'memoryId';
    if (!isOnId || ignoreCase || pattern.kind !== 'text') return `(${matches})`;
    // Implied by the pattern: with it 20,000 memories are looked through in 0.04 ms instead of 30 ms. A pattern that is
    // NULL makes the whole NULL only where the rest is true.
    const range = idRange(isWhole(pattern.value) ? pattern.value : '').map((id) => parameters.add(id, 'uuid'));
    return `(${matches} and ${alias}.memory_id between ${range.join(' and ')})`;
  });
}

function patternOf(pattern: Expression, { parameters, compile }: Omit<LikeContext, 'alias'>): Fragment {
  if (pattern.kind !== 'text') return combine([compile(pattern)], ([sql]) => `svc_filter_pattern(${sql})`);
  return { sql: parameters.add(isWhole(pattern.value) ? pattern.value : null, 'text'), cost: 'free' };
}

/** A pattern of LIKE that ends in a lone backslash escapes nothing. */
function isWhole(pattern: string): boolean {
  return (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 0;
}

/**
 * The first and the last UUID whose text can match a pattern of LIKE, as far as its beginning tells: an index finds those
 * between them, while matching texts reads every row. All UUIDs when the pattern begins with anything else.
 */
function idRange(pattern: string): string[] {
  const [prefix = ''] = /^[0-9a-f-]*/.exec(pattern) ?? [];
  const range = [LOWEST, HIGHEST].map((filler) => prefix + filler.slice(prefix.length));
  return range.every((id) => UUID.test(id)) ? range : [LOWEST, HIGHEST];
}
