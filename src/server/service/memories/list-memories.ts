import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import { SortOrder } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type ListMemoriesRequest,
  type ListMemoriesResponse,
  ListMemoriesResponseSchema,
  ProcessingStatus,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { type MemorySort, selectMemoryList } from '../../store/memory-list.ts';
import type { MemoryRow, ProcessingStatusName } from '../../store/memory-row.ts';
import type { SpaceRow } from '../../store/spaces.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { openPage } from '../page-token.ts';
import { guarded, requireInSpace } from '../permission.ts';
import { foundSpaceGuard, loadSpace } from '../spaces/load-space.ts';
import { boundedSearch } from './bounded-search.ts';
import type { MemoryDeps } from './deps.ts';
import { memoryRecords } from './load-memory.ts';

const SORTS: ReadonlyMap<string, MemorySort> = new Map([
  ['', 'created_at'],
  ['created_at', 'created_at'],
  ['updated_at', 'updated_at'],
  ['content_type', 'content_type'],
  ['processing_status', 'processing_status'],
]);

const INDEXED: ReadonlySet<MemorySort> = new Set(['created_at', 'updated_at']);

export async function listMemories(
  deps: MemoryDeps,
  request: ListMemoriesRequest,
  context: CallContext,
): Promise<ListMemoriesResponse> {
  const sort = SORTS.get(request.sortBy ?? '');
  if (sort === undefined) {
    const problem = 'must be one of created_at, updated_at, content_type and processing_status';
    throw invalidFields([{ path: 'sortBy', problem }]);
  }
  const { spaceId, filter: filterText = '' } = request;
  const order = request.sortOrder === SortOrder.ASCENDING ? 'asc' : 'desc';
  const status = statusName(request.statusFilter);
  const filter = parseFilter(filterText, 'filter');
  const page = openPage(deps.pageTokens, context, request, {
    spaceId,
    status: status ?? null,
    filter: filterText,
    sort,
    order,
  });
  const isPermitted = (space: SpaceRow) => requireInSpace(context, 'LIST_MEMORY', space);
  const { signal, guards } = guarded(context);
  // What no index answers may take long, and is not run for those who may not see what it finds.
  const isQuick = filter === undefined && status === undefined && INDEXED.has(sort);
  if (!isQuick) isPermitted(await loadSpace(deps.db.main, spaceId, { signal, guards }));
  const left = isQuick ? [...guards, foundSpaceGuard(spaceId, isPermitted)] : [];
  const { limit, after } = page;
  const rows = await boundedSearch(
    (bound) =>
      selectMemoryList(
        deps.db.main,
        { spaceId, status, filter },
        { sort, order, limit, after },
        { signal, guards: left, ...bound },
      ),
    deps.searchTimeoutMs,
  );
  const { items, nextToken } = page.close(rows, (row) => [sortValue(row, sort), row.memoryId]);
  const memories = await memoryRecords(deps, items, request, context, (error) => {
    throw error;
  });
  return create(ListMemoriesResponseSchema, { memories, ...(nextToken === undefined ? {} : { nextToken }) });
}

/** Undefined when the field is not given. */
export function statusName(status: ProcessingStatus): ProcessingStatusName | undefined {
  return status === ProcessingStatus.UNSPECIFIED ? undefined : (ProcessingStatus[status] as ProcessingStatusName);
}

function sortValue(row: MemoryRow, sort: MemorySort): string | number {
  switch (sort) {
    case 'created_at':
      return row.createdAt;
    case 'updated_at':
      return row.updatedAt;
    case 'content_type':
      return row.contentType;
    case 'processing_status':
      return row.processingStatus;
  }
}
