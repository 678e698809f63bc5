import type { Embedder } from '../../shared/gen/service/v1/embedder_pb.ts';
import type { Chunk, Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Space } from '../../shared/gen/service/v1/space_pb.ts';

/** A space as it was, and those of its embedders that the caller may read. */
export interface SpaceItem {
  kind: 'space';
  space: Space;
  embedders: readonly Embedder[];
}

/** A memory without its content in the record, and the content. */
export interface MemoryItem {
  kind: 'memory';
  memory: Memory;
  content: Uint8Array;
}

/**
 * What a space is made of on its way out of one and into another, in this order: the space, its memories, its chunks when
 * vectors were asked for, and an end that tells a whole export from one that was cut off.
 */
export type TransferItem =
  | SpaceItem
  | MemoryItem
  | { kind: 'chunk'; chunk: Chunk }
  | { kind: 'end'; memories: number; chunks: number };

/** Where an item comes from, for messages: `line 17`, `memory 0198…`. */
export interface LocatedItem {
  at: string;
  item: TransferItem;
}
