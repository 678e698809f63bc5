import type {
  Memory,
  RetrievedItem,
  RetrieveMemoryEvent,
  RetrieveMemoryRequest,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { chunkKey } from '../../store/chunks.ts';
import type { Db } from '../../store/db.ts';
import { selectMemories } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { type ChunkKey, type NeighborRow, selectNeighbors } from '../../store/retrieved-chunks.ts';
import { chunkMessage } from '../memories/chunk-message.ts';
import { memoryMessage } from '../memories/memory-message.ts';
import type { RankedChunk } from './candidates.ts';
import { type Inaccessible, inaccessibleMemories } from './inaccessible-memories.ts';

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
  rows: ReadonlyMap<string, MemoryRow>;
  /** Statuses about items that are left out. */
  statuses: readonly RetrieveMemoryEvent[];
}

interface LoadOptions {
  request: RetrieveMemoryRequest;
  context: CallContext;
  /** Load the memories even if the request does not want them. */
  memories: boolean;
  /** By id: memories that came along with the chunks, as both were at one moment. */
  known: ReadonlyMap<string, MemoryRow>;
}

/** Loads the results of chunks. Items that were deleted or became inaccessible since the search are left out with a status. */
export async function loadResults(
  db: Db,
  chunks: readonly RankedChunk[],
  { request, context, memories: wanted, known }: LoadOptions,
): Promise<Results> {
  const keys = chunks.map(({ chunk }) => chunk);
  const withMemories = (wanted || request.fetchMemory !== false) && keys.length > 0;
  const [{ rows, inaccessible, statuses }, neighbors] = await Promise.all([
    withMemories ? memoriesOf(db, keys, known, context) : ALL_ACCESSIBLE,
    request.neighbors === 0 ? undefined : neighborsOf(db, keys, request.neighbors, context.signal),
  ]);
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

/** The memories of these chunks; those that came along with all of them are not looked up again. */
async function memoriesOf(
  db: Db,
  keys: readonly ChunkKey[],
  known: ReadonlyMap<string, MemoryRow>,
  context: CallContext,
): Promise<LoadedMemories> {
  const ids = [...new Set(keys.map(({ memoryId }) => memoryId))];
  if (ids.every((id) => known.has(id))) {
    return { ...ALL_ACCESSIBLE, rows: new Map(ids.flatMap((id) => entryOf(known.get(id)))) };
  }
  const loaded = await selectMemories(db.main, ids, { signal: context.signal });
  const rows = new Map(loaded.map((memory) => [memory.memoryId, memory]));
  const checked = await inaccessibleMemories(db, keys, rows, context);
  for (const id of checked.inaccessible) rows.delete(id);
  return { ...checked, rows };
}

interface LoadedMemories extends Inaccessible {
  rows: ReadonlyMap<string, MemoryRow>;
}

function entryOf(row: MemoryRow | undefined): [string, MemoryRow][] {
  return row === undefined ? [] : [[row.memoryId, row]];
}

const ALL_ACCESSIBLE: LoadedMemories = { inaccessible: new Set(), statuses: [], rows: new Map() };

/** The neighbors of each chunk, by `chunkKey`. */
async function neighborsOf(db: Db, keys: readonly ChunkKey[], distance: number, signal: AbortSignal) {
  const neighbors = new Map<string, NeighborRow[]>(keys.map((key) => [chunkKey(key), []]));
  if (keys.length === 0) return neighbors;
  for (const row of await selectNeighbors(db.main, keys, distance, { signal })) {
    neighbors.get(chunkKey({ memoryId: row.memoryId, sequence: row.ofSequence }))?.push(row);
  }
  return neighbors;
}
