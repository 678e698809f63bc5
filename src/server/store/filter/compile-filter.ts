import type { Filter } from './ast.ts';
import { ExpressionCompiler } from './expression-compiler.ts';
import { compileKeys } from './filter-keys.ts';
import { Parameters } from './fragment.ts';

interface CompileFilterOptions {
  /** The alias of the memory table in the statement, e.g. `m`. */
  alias: string;
  /** The number of the first parameter of the condition, from 1. */
  firstParameter: number;
  /** The parameter of the space, where the statement reads COMPLETED memories of one space. */
  space?: string;
}

/**
 * The condition as SQL over one memory row (`metadata`, `created_at`, `updated_at`, `content_type`, `memory_id`,
 * `processing_status`). The SQL depends only on the structure of the filter: strings, numbers, paths and lists of literals
 * are parameters. It never raises an error on a row; it needs the functions `svc_filter_…` of the schema.
 *
 * `keys` is a condition that the filter implies and an index answers, for a statement that looks for memories by the filter
 * alone; computed per row it costs more than the filter. Undefined without `space`, and where the filter implies none.
 */
export function compileFilter(
  filter: Filter,
  { alias, firstParameter, space }: CompileFilterOptions,
): { sql: string; keys: string | undefined; values: unknown[] } {
  const parameters = new Parameters(firstParameter);
  const { sql } = new ExpressionCompiler(alias, parameters).compile(filter.condition);
  const keys = space === undefined ? undefined : compileKeys(filter.condition, { alias, space, parameters });
  return { sql, keys, values: parameters.values };
}
