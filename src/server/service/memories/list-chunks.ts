import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import {
  type ListChunksRequest,
  type ListChunksResponse,
  ListChunksResponseSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { isMissingTable } from '../../store/errors.ts';
import { type ChunkScope, selectChunkList } from '../../store/memory-chunks.ts';
import { openPage, type Page } from '../page-token.ts';
import { requireInSpace } from '../permission.ts';
import { loadSpace } from '../spaces/load-space.ts';
import { chunkMessage } from './chunk-message.ts';
import { chunksWithin, loadChunkVectors } from './chunk-vectors.ts';
import type { MemoryDeps } from './deps.ts';
import { loadMemory } from './load-memory.ts';

/** A page ends early when it would exceed this size of text or this number of vector components. */
const PAGE_TEXT_BYTES = 8_388_608;
const PAGE_VALUES = 1_000_000;

/** The chunks of a memory or a space that the caller may read, by memory id and sequence. */
export async function listChunks(
  { db, pageTokens }: Pick<MemoryDeps, 'db' | 'pageTokens'>,
  { scope, includeVectors, ...paging }: ListChunksRequest,
  context: CallContext,
): Promise<ListChunksResponse> {
  if (scope.case === undefined)
    throw invalidFields([{ path: 'memoryId', problem: 'is required unless spaceId is given' }]);
  const page = openPage(pageTokens, context, paging, { [scope.case]: scope.value });
  const wanted = await readableScope(db, scope, context);
  const { signal } = context;
  if (!includeVectors) return readPage(db.main, wanted, page, { includeVectors, signal });
  await db.halfvecOid();
  // One snapshot of chunks and vectors, since processing a memory again replaces both.
  const read = () =>
    db.main.withTx((tx) => readPage(tx, wanted, page, { includeVectors }), {
      isolation: 'repeatable read',
      readOnly: true,
      signal,
    });
  // A later snapshot knows by what a table that it misses was replaced.
  return await read().catch((error: unknown) => (isMissingTable(error) ? read() : Promise.reject(error)));
}

async function readPage(
  q: Queryable,
  scope: ChunkScope,
  { limit, after, close }: Page,
  { includeVectors, signal }: { includeVectors: boolean; signal?: AbortSignal },
): Promise<ListChunksResponse> {
  const most = includeVectors ? await chunksWithin(q, scope.spaceId, PAGE_VALUES) : limit;
  const page = { limit: Math.min(limit, most + 1), after, maxTextBytes: PAGE_TEXT_BYTES };
  const { rows, found } = await selectChunkList(q, scope, page, { signal });
  const { items, nextToken } = close(rows.slice(0, most), (row) => [row.memoryId, row.sequence], found);
  const vectors = includeVectors ? await loadChunkVectors(q, scope.spaceId, items) : undefined;
  return create(ListChunksResponseSchema, {
    chunks: items.map((row, index) => chunkMessage(row, { vectors: vectors?.[index] })),
    ...(nextToken === undefined ? {} : { nextToken }),
  });
}

/** Throws NOT_FOUND and PERMISSION_DENIED. */
async function readableScope(
  db: Db,
  scope: Exclude<ListChunksRequest['scope'], { case: undefined }>,
  context: CallContext,
): Promise<ChunkScope> {
  if (scope.case === 'memoryId') return loadMemory({ db }, scope.value, 'READ_MEMORY', context);
  const space = await loadSpace(db.main, scope.value, { signal: context.signal });
  requireInSpace(context, 'READ_MEMORY', space);
  return { spaceId: space.spaceId, memoryId: undefined };
}
