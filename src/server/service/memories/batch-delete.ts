import { create } from '@bufbuild/protobuf';
import { invalidFields, notFound } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import {
  type BatchDeleteMemoryRequest,
  type BatchDeleteSelector,
  type BatchMemoryResponse,
  BatchMemoryResponseSchema,
  type BatchMemoryResult,
  type MemoryFilterSelector,
  MemoryFilterSelectorSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { requireInSpace } from '../permission.ts';
import { loadSpace } from '../spaces/load-space.ts';
import { failed, succeeded } from './batch-result.ts';
import { deleteMatching, deleteMemories } from './delete-memory.ts';
import type { MemoryDeps } from './deps.ts';
import { statusName } from './list-memories.ts';
import { parseMemoryId } from './memory-fields.ts';

/** Memories per transaction. */
const AT_ONCE = 100;

interface Run {
  deps: MemoryDeps;
  context: CallContext;
  results: BatchMemoryResult[];
}

export async function batchDeleteMemory(
  deps: MemoryDeps,
  { memoryIds, requests }: BatchDeleteMemoryRequest,
  context: CallContext,
): Promise<BatchMemoryResponse> {
  if (memoryIds.length > 0 && requests.length > 0) {
    throw invalidFields([{ path: 'memoryIds', problem: 'cannot be given together with requests' }]);
  }
  if (memoryIds.length + requests.length === 0) {
    throw invalidFields([{ path: 'memoryIds', problem: 'is required unless requests is given' }]);
  }
  const selectors: BatchDeleteSelector['selector'][] =
    memoryIds.length > 0
      ? memoryIds.map((value) => ({ case: 'memoryId', value }))
      : requests.map(({ selector }) => selector);
  const run: Run = { deps, context, results: [] };
  await deleteInOrder(run, selectors);
  const totalDeleted = run.results.reduce((sum, { deletedCount = 0n }) => sum + deletedCount, 0n);
  return create(BatchMemoryResponseSchema, { results: run.results, totalDeleted });
}

/** Groups consecutive items with ids. Filters are not reordered, since their matches depend on the items before them. */
async function deleteInOrder(run: Run, selectors: readonly BatchDeleteSelector['selector'][]): Promise<void> {
  let ids: string[] = [];
  const flush = async () => {
    if (ids.length > 0) await deleteByIds(run, ids);
    ids = [];
  };
  for (const [index, selector] of selectors.entries()) {
    run.context.signal.throwIfAborted();
    const error = run.context.itemErrors?.get(index);
    if (error !== undefined) {
      await flush();
      run.results.push(failed(index, error, run.context, { deletedCount: 0 }));
    } else if (selector.case === 'memoryId') {
      ids.push(selector.value);
      if (ids.length === AT_ONCE) await flush();
    } else {
      await flush();
      await deleteByFilter(run, selector.value);
    }
  }
  await flush();
}

async function deleteByFilter({ deps, context, results }: Run, selector: MemoryFilterSelector | undefined) {
  const index = results.length;
  try {
    results.push(succeeded(index, { deletedCount: await deleteSelected(deps, selector, context) }));
  } catch (error) {
    results.push(failed(index, error, context, { deletedCount: 0 }));
  }
}

async function deleteSelected(
  deps: MemoryDeps,
  selector: MemoryFilterSelector | undefined,
  context: CallContext,
): Promise<number> {
  if (selector === undefined) {
    throw invalidFields([{ path: 'request', problem: 'must have exactly one of memoryId and filterSelector' }]);
  }
  const inner = 'filterSelector';
  const violations = validateMessage(MemoryFilterSelectorSchema, selector);
  if (violations.length > 0) {
    throw invalidFields(violations.map((violation) => ({ ...violation, path: `${inner}.${violation.path}` })));
  }
  const { spaceId } = selector;
  const filter = parseFilter(selector.filter ?? '', `${inner}.filter`);
  requireInSpace(context, 'DELETE_MEMORY', await loadSpace(deps.db.main, spaceId, { signal: context.signal }));
  return deleteMatching(deps, { spaceId, status: statusName(selector.statusFilter), filter }, context.signal);
}

async function deleteByIds(run: Run, texts: readonly string[]): Promise<void> {
  const { deps, context, results } = run;
  const first = results.length;
  const errors = new Map<number, unknown>();
  const found = await findDeletable(run, texts, errors);
  for (const [spaceId, items] of bySpace(found)) {
    try {
      const rows = items.map(({ row }) => row);
      const deleted = new Set(await deleteMemories(deps.db, spaceId, rows, context.signal));
      for (const { at, row } of items) {
        // Another caller, or an earlier item of the batch, has deleted it.
        if (!deleted.delete(row.memoryId)) errors.set(at, notFound('Memory', row.memoryId));
      }
    } catch (error) {
      for (const { at } of items) errors.set(at, error);
    }
  }
  for (const [at, memoryId] of texts.entries()) {
    const index = first + at;
    const result = errors.has(at)
      ? failed(index, errors.get(at), context, { memoryId, deletedCount: 0 })
      : succeeded(index, { memoryId: memoryId.toLowerCase(), deletedCount: 1 });
    results.push(result);
  }
}

interface Deletable {
  at: number;
  row: OwnedMemoryRow;
}

/** The memories that the caller may delete; for the others an error is added to `errors`. */
async function findDeletable(
  { deps, context }: Run,
  texts: readonly string[],
  errors: Map<number, unknown>,
): Promise<Deletable[]> {
  const ids = texts.map((text, at) => {
    try {
      return parseMemoryId(text);
    } catch (error) {
      errors.set(at, error);
      return undefined;
    }
  });
  const wanted = ids.filter((id) => id !== undefined);
  const rows = await selectMemories(deps.db.main, wanted, { signal: context.signal });
  const byId = new Map(rows.map((row) => [row.memoryId, row]));
  return ids.flatMap((id, at) => {
    if (id === undefined) return [];
    try {
      const row = byId.get(id);
      if (row === undefined) throw notFound('Memory', id);
      requireInSpace(context, 'DELETE_MEMORY', row);
      return [{ at, row }];
    } catch (error) {
      errors.set(at, error);
      return [];
    }
  });
}

function bySpace(items: readonly Deletable[]): Map<string, Deletable[]> {
  const groups = new Map<string, Deletable[]>();
  for (const item of items) groups.set(item.row.spaceId, [...(groups.get(item.row.spaceId) ?? []), item]);
  return groups;
}
