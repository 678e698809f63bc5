import type { Expression } from './ast.ts';
import { combine, type Fragment, type Parameters } from './fragment.ts';
import { BYTE_ORDER, UNICODE_CASE } from './sql-types.ts';

type Like = Extract<Expression, { kind: 'like' }>;

const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface LikeContext {
  /** Of the memory. */
  alias: string;
  parameters: Parameters;
  compile(expression: Expression): Fragment;
}

/** The condition of LIKE and ILIKE. */
export function compileLike(
  { value, pattern, ignoreCase }: Like,
  { alias, parameters, compile }: LikeContext,
): Fragment {
  const collation = ignoreCase ? UNICODE_CASE : BYTE_ORDER;
  const operator = ignoreCase ? 'ilike' : 'like';
  const subject = compile(value);
  return combine([subject, patternOf(pattern, { parameters, compile })], ([text, sql]) => {
    const matches = `${text} ${collation} ${operator} ${sql} ${collation}`;
    const isOnId = value.kind === 'field' && value.name === 'memoryId';
    if (!isOnId || ignoreCase || pattern.kind !== 'text') return `(${matches})`;
    // The pattern implies this range: with it 20,000 memories are searched in 0.04 ms instead of 30 ms. A NULL pattern gets
    // the range of all UUIDs, so the condition is still NULL for every row.
    const range = idRange(isWhole(pattern.value) ? pattern.value : '').map((id) => parameters.add(id, 'uuid'));
    return `(${matches} and ${alias}.memory_id between ${range.join(' and ')})`;
  });
}

function patternOf(pattern: Expression, { parameters, compile }: Omit<LikeContext, 'alias'>): Fragment {
  if (pattern.kind !== 'text') return combine([compile(pattern)], ([sql]) => `svc_filter_pattern(${sql})`);
  return { sql: parameters.add(isWhole(pattern.value) ? pattern.value : null, 'text'), cost: 'free' };
}

/** Whether a LIKE pattern is valid: it must not end in a backslash that escapes nothing. */
function isWhole(pattern: string): boolean {
  return (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 0;
}

/**
 * The first and the last UUID that can match a LIKE pattern, judged by its literal prefix: an index finds the UUIDs in that
 * range, while matching their text reads every row. The range of all UUIDs when the pattern has no such prefix.
 */
function idRange(pattern: string): string[] {
  const [prefix = ''] = /^[0-9a-f-]*/.exec(pattern) ?? [];
  const range = [LOWEST, HIGHEST].map((filler) => prefix + filler.slice(prefix.length));
  return range.every((id) => UUID.test(id)) ? range : [LOWEST, HIGHEST];
}
