import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Db } from '../../store/db.ts';
import { wholeContent } from '../memories/content-source.ts';
import { itemEvent, memoryEvent, statusEvent } from './events.ts';
import type { Results } from './results.ts';

export interface ItemOptions {
  db: Db;
  request: RetrieveMemoryRequest;
  resultSetId: string;
  signal: AbortSignal;
}

/** The items, each memory before its first one if the caller wants memories. */
export async function* itemEvents(results: Results, options: ItemOptions): AsyncIterable<RetrieveMemoryEvent> {
  const indexes = new Map<string, number>();
  for (const { memoryId, item, score } of results.items) {
    const known = indexes.get(memoryId);
    const memoryIndex = known ?? indexes.size;
    if (known === undefined) {
      indexes.set(memoryId, memoryIndex);
      if (options.request.fetchMemory !== false) yield* definition(memoryId, results, options);
    }
    yield itemEvent({ item, memoryIndex, relevanceScore: score, resultSetId: options.resultSetId });
  }
}

async function* definition(
  memoryId: string,
  { memories, rows }: Results,
  { db, request, signal }: ItemOptions,
): AsyncIterable<RetrieveMemoryEvent> {
  const memory = memories.get(memoryId);
  if (memory === undefined) return;
  const row = rows.get(memoryId);
  if (!request.fetchMemoryContent || row === undefined) {
    yield memoryEvent(memory);
    return;
  }
  let content: Uint8Array | undefined;
  try {
    content = await wholeContent(db.main, row, signal);
  } catch {
    signal.throwIfAborted();
    const details = { memory_id: memoryId };
    yield statusEvent('MEMORY_CONTENT_UNAVAILABLE', 'The content of a memory could not be read', details);
  }
  yield memoryEvent(content === undefined ? memory : { ...memory, originalContent: content });
}
