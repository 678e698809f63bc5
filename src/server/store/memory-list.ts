import type { Queryable, Statement, StatementOptions } from './db.ts';
import type { Filter } from './filter/ast.ts';
import { compileFilter } from './filter/compile-filter.ts';
import {
  afterPosition,
  type Keyset,
  orderBy,
  type PageOrder,
  type PagePosition,
  positionValues,
} from './list-query.ts';
import { isUnexpired, type MemoryRow, memoryColumns, type ProcessingStatusName } from './memory-row.ts';

/** Selects memories of a space. */
export interface MemoryCondition {
  spaceId: string;
  status: ProcessingStatusName | undefined;
  filter: Filter | undefined;
}

export type MemorySort = 'created_at' | 'updated_at' | 'content_type' | 'processing_status';

interface MemoryListPage {
  sort: MemorySort;
  order: PageOrder;
  limit: number;
  /** `[value of the sort column, memoryId]`. */
  after: PagePosition | undefined;
}

/** Strings sort by code point, in the same order on every database. */
const SORT_COLUMNS: Record<MemorySort, readonly [expression: string, type: string]> = {
  created_at: ['m.created_at', 'timestamptz'],
  updated_at: ['m.updated_at', 'timestamptz'],
  content_type: ['m.content_type collate "C"', 'text'],
  processing_status: ['m.processing_status collate "C"', 'text'],
};

/** The condition over a memory `m`, with its parameters appended to `values`. */
function conditionOf({ spaceId, status, filter }: MemoryCondition, values: unknown[]): string {
  values.push(spaceId);
  const conditions = [`m.space_id = $${values.length}`, isUnexpired('m')];
  if (status !== undefined) {
    values.push(status);
    conditions.push(`m.processing_status = $${values.length}`);
  }
  if (filter !== undefined) {
    const compiled = compileFilter(filter, { alias: 'm', firstParameter: values.length + 1 });
    values.push(...compiled.values);
    conditions.push(`(${compiled.sql})`);
  }
  return conditions.join(' and ');
}

/**
 * One page of a list. The SQL depends on the filter and is not prepared: one generic statement for all combinations would
 * have to scan the whole space.
 */
export function selectMemoryList(
  q: Queryable,
  condition: MemoryCondition,
  page: MemoryListPage,
  options?: StatementOptions,
): Promise<MemoryRow[]> {
  const keyset: Keyset = { columns: [SORT_COLUMNS[page.sort], ['m.memory_id', 'uuid']], order: page.order };
  const values: unknown[] = [page.limit];
  let where = conditionOf(condition, values);
  if (page.after !== undefined) {
    where += ` and ${afterPosition(keyset, values.length + 1)}`;
    values.push(...positionValues(keyset, page.after));
  }
  const text = `select ${memoryColumns('m')} from memory m where ${where} ${orderBy(keyset)} limit $1`;
  return q.query<MemoryRow>({ name: 'memory_list.select', text, prepare: false }, values, options);
}

/** The ids of up to `limit` memories that match, in their order. */
export async function selectMatchingMemories(
  q: Queryable,
  condition: MemoryCondition,
  limit: number,
  options?: StatementOptions,
): Promise<string[]> {
  const values: unknown[] = [limit];
  const text = `select m.memory_id as "memoryId" from memory m
    where ${conditionOf(condition, values)} order by m.memory_id limit $1`;
  const statement: Statement = { name: 'memory_list.select_matching', text, prepare: false };
  const rows = await q.query<{ memoryId: string }>(statement, values, options);
  return rows.map(({ memoryId }) => memoryId);
}

/** The given memories that still match, locked in the order of their ids until the transaction ends. */
export function lockMatchingMemories(
  tx: Queryable,
  condition: MemoryCondition,
  memoryIds: readonly string[],
  options?: StatementOptions,
): Promise<{ memoryId: string; contentId: string }[]> {
  const values: unknown[] = [memoryIds];
  const text = `select m.memory_id as "memoryId", m.content_id as "contentId" from memory m
    where m.memory_id = any ($1::uuid[]) and ${conditionOf(condition, values)} order by m.memory_id for update of m`;
  const statement: Statement = { name: 'memory_list.lock_matching', text, prepare: false };
  return tx.query(statement, values, options);
}
