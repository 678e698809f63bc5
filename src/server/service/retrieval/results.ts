import type {
  Memory,
  RetrievedItem,
  RetrieveMemoryEvent,
  RetrieveMemoryRequest,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { chunkKey } from '../../store/chunks.ts';
import type { Db } from '../../store/db.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import { type ChunkKey, type NeighborRow, selectNeighbors } from '../../store/retrieved-chunks.ts';
import { chunkMessage } from '../memories/chunk-message.ts';
import { memoryMessage } from '../memories/memory-message.ts';
import type { RankedChunk } from './candidates.ts';
import { inaccessibleMemories } from './inaccessible-memories.ts';

/** One item of a result set. */
export interface ResultItem {
  memoryId: string;
  item: RetrievedItem['item'];
  score: number;
}

/** The results, loaded completely so that BEGIN can have their number. */
export interface Results {
  items: readonly ResultItem[];
  /** By id; empty when they were not requested. */
  memories: ReadonlyMap<string, Memory>;
  /** The rows of the memories that the search found, to read their contents. */
  rows: ReadonlyMap<string, OwnedMemoryRow>;
  /** Statuses about items that are left out. */
  statuses: readonly RetrieveMemoryEvent[];
}

interface LoadOptions {
  request: RetrieveMemoryRequest;
  context: CallContext;
  /** Load the memories even if the request does not want them. */
  memories: boolean;
}

/** Loads the results of chunks. Items that were deleted or became inaccessible since the search are left out with a status. */
export async function loadResults(
  db: Db,
  chunks: readonly RankedChunk[],
  { request, context, memories: wanted }: LoadOptions,
): Promise<Results> {
  const { signal } = context;
  const keys = chunks.map(({ chunk }) => chunk);
  const withMemories = (wanted || request.fetchMemory !== false) && keys.length > 0;
  const [loaded, neighbors] = await Promise.all([
    withMemories ? selectMemories(db.main, idsOf(keys), { signal }) : [],
    request.neighbors === 0 ? undefined : neighborsOf(db, keys, request.neighbors, signal),
  ]);
  const rows = new Map(loaded.map((memory) => [memory.memoryId, memory]));
  const { inaccessible, statuses } = withMemories
    ? await inaccessibleMemories(db, keys, rows, context)
    : ALL_ACCESSIBLE;
  for (const id of inaccessible) rows.delete(id);
  const alive = chunks.filter(({ chunk }) => !inaccessible.has(chunk.memoryId));
  return {
    items: alive.map(({ chunk, score }) => ({
      memoryId: chunk.memoryId,
      item: { case: 'chunk', value: chunkMessage(chunk, { neighbors: neighbors?.get(chunkKey(chunk)) }) },
      score,
    })),
    memories: new Map([...rows].map(([id, row]) => [id, memoryMessage(row)])),
    rows,
    statuses,
  };
}

const ALL_ACCESSIBLE = { inaccessible: new Set<string>(), statuses: [] };

/** The neighbors of each chunk, by `chunkKey`. */
async function neighborsOf(db: Db, keys: readonly ChunkKey[], distance: number, signal: AbortSignal) {
  const neighbors = new Map<string, NeighborRow[]>(keys.map((key) => [chunkKey(key), []]));
  if (keys.length === 0) return neighbors;
  for (const row of await selectNeighbors(db.main, keys, distance, { signal })) {
    neighbors.get(chunkKey({ memoryId: row.memoryId, sequence: row.ofSequence }))?.push(row);
  }
  return neighbors;
}

function idsOf(keys: readonly { memoryId: string }[]): string[] {
  return [...new Set(keys.map(({ memoryId }) => memoryId))];
}
