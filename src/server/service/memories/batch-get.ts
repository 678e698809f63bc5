import { create } from '@bufbuild/protobuf';
import { notFound, ServiceError } from '../../../shared/errors.ts';
import {
  type BatchGetMemoryRequest,
  type BatchMemoryResponse,
  BatchMemoryResponseSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import { requireInSpace } from '../permission.ts';
import { failed, succeeded } from './batch-result.ts';
import type { MemoryDeps } from './deps.ts';
import { memoryRecords } from './load-memory.ts';
import { parseMemoryId } from './memory-fields.ts';

type Found = { row: OwnedMemoryRow } | { error: unknown };

export async function batchGetMemory(
  deps: MemoryDeps,
  request: BatchGetMemoryRequest,
  context: CallContext,
): Promise<BatchMemoryResponse> {
  const found = await findAll(deps, request.memoryIds, context);
  const rows = found.flatMap((item) => ('row' in item ? [item.row] : []));
  const records = (await memoryRecords(deps, rows, request, context, (error) => error)).values();
  const results = found.map((item, index) => {
    const memoryId = request.memoryIds[index];
    if ('error' in item) return failed(index, item.error, context, { memoryId });
    const record = records.next().value ?? notFound('Memory', item.row.memoryId);
    return record instanceof ServiceError
      ? failed(index, record, context, { memoryId })
      : succeeded(index, { memoryId: record.memoryId, memory: record });
  });
  return create(BatchMemoryResponseSchema, { results });
}

/** Each memory, or the error of its item. */
async function findAll(deps: MemoryDeps, texts: readonly string[], context: CallContext): Promise<Found[]> {
  const ids = texts.map((text, index) => {
    const error = context.itemErrors?.get(index);
    return error === undefined ? attempt(() => parseMemoryId(text)) : { error };
  });
  const wanted = ids.flatMap((id) => ('value' in id ? [id.value] : []));
  const rows = await selectMemories(deps.db.main, wanted, { signal: context.signal });
  const byId = new Map(rows.map((row) => [row.memoryId, row]));
  return ids.map((id) => {
    if ('error' in id) return id;
    const row = byId.get(id.value);
    if (row === undefined) return { error: notFound('Memory', id.value) };
    const allowed = attempt(() => requireInSpace(context, 'READ_MEMORY', row));
    return 'error' in allowed ? allowed : { row };
  });
}

function attempt<T>(run: () => T): { value: T } | { error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}
