import type { Filter } from './ast.ts';
import { ExpressionCompiler } from './expression-compiler.ts';
import { Parameters } from './fragment.ts';

interface CompileFilterOptions {
  /** The alias of the memory table in the statement, e.g. `m`. */
  alias: string;
  /** The number of the first parameter of the condition, from 1. */
  firstParameter: number;
}

/**
 * The condition as SQL over one memory row (`metadata`, `created_at`, `updated_at`, `content_type`, `memory_id`,
 * `processing_status`). The SQL depends only on the structure of the filter: strings, numbers, paths and lists of literals
 * are parameters. It never raises an error on a row; it needs the functions `svc_filter_…` of the schema.
 */
export function compileFilter(
  filter: Filter,
  { alias, firstParameter }: CompileFilterOptions,
): { sql: string; values: unknown[] } {
  const parameters = new Parameters(firstParameter);
  const { sql } = new ExpressionCompiler(alias, parameters).compile(filter.condition);
  return { sql, values: parameters.values };
}
