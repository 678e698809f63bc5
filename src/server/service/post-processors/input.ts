import { ChunkSchema, MemorySchema } from '../../../shared/gen/service/v1/memory_pb.ts';
import { ContextItemSchema, type ContextItem as ContextMessage } from '../../../shared/gen/service/v1/retrieve_pb.ts';
import { encodeJson } from '../../../shared/json/encode.ts';
import type { Chunk, ContextItem, Item, Memory } from '../../workers/post-processor/types.ts';
import type { Results } from '../retrieval/results.ts';

/** The results as a post processor sees them: its own copies, in the JSON form. */
export function inputItems({ items, memories }: Results): Item[] {
  return items.flatMap(({ item, memoryId, score }) => {
    const memory = memories.get(memoryId);
    if (item.case !== 'chunk' || memory === undefined) return [];
    return [
      {
        chunk: JSON.parse(encodeJson(ChunkSchema, item.value)) as Chunk,
        memory: JSON.parse(encodeJson(MemorySchema, memory)) as Memory,
        score,
      },
    ];
  });
}

export function inputTurns(turns: readonly ContextMessage[]): ContextItem[] {
  return turns.map((turn) => JSON.parse(encodeJson(ContextItemSchema, turn)) as ContextItem);
}
