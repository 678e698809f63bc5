import type {
  Memory,
  RetrievedItem,
  RetrieveMemoryEvent,
  RetrieveMemoryRequest,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import { type ChunkKey, type NeighborRow, selectNeighbors } from '../../store/retrieved-chunks.ts';
import { chunkMessage } from '../memories/chunk-message.ts';
import { memoryMessage } from '../memories/memory-message.ts';
import type { RankedChunk } from './candidates.ts';
import { lostMemories } from './lost-memories.ts';

/** One item of a result set as it is sent. */
export interface ResultItem {
  memoryId: string;
  item: RetrievedItem['item'];
  score: number;
}

/** What is streamed, loaded to the end, so that BEGIN can say how many items follow. */
export interface Results {
  items: readonly ResultItem[];
  /** By id; empty when nobody asked for them. */
  memories: ReadonlyMap<string, Memory>;
  /** The rows of those that the service itself found, for their contents. */
  rows: ReadonlyMap<string, OwnedMemoryRow>;
  /** About items that are left out. */
  statuses: readonly RetrieveMemoryEvent[];
}

export interface LoadOptions {
  request: RetrieveMemoryRequest;
  context: CallContext;
  /** Load the memories even if the caller does not want to see them. */
  memories: boolean;
}

/** Makes results of chunks. What vanished since the search, or may no longer be seen, is left out with a status. */
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
  const { lost, statuses } = withMemories ? await lostMemories(db, keys, rows, context) : NOTHING_LOST;
  for (const id of lost) rows.delete(id);
  const alive = chunks.filter(({ chunk }) => !lost.has(chunk.memoryId));
  return {
    items: alive.map(({ chunk, score }) => ({
      memoryId: chunk.memoryId,
      item: { case: 'chunk', value: chunkMessage(chunk, { neighbors: neighbors?.get(keyOf(chunk)) }) },
      score,
    })),
    memories: new Map([...rows].map(([id, row]) => [id, memoryMessage(row)])),
    rows,
    statuses,
  };
}

const NOTHING_LOST = { lost: new Set<string>(), statuses: [] };

/** The neighbours of each chunk, see `keyOf`. */
async function neighborsOf(db: Db, keys: readonly ChunkKey[], distance: number, signal: AbortSignal) {
  const neighbors = new Map<string, NeighborRow[]>(keys.map((key) => [keyOf(key), []]));
  if (keys.length === 0) return neighbors;
  for (const row of await selectNeighbors(db.main, keys, distance, { signal })) {
    neighbors.get(keyOf({ memoryId: row.memoryId, sequence: row.ofSequence }))?.push(row);
  }
  return neighbors;
}

const keyOf = ({ memoryId, sequence }: { memoryId: string; sequence: number }) => `${memoryId}/${sequence}`;

function idsOf(keys: readonly { memoryId: string }[]): string[] {
  return [...new Set(keys.map(({ memoryId }) => memoryId))];
}
