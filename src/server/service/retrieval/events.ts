import { create } from '@bufbuild/protobuf';
import type { Status } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type Chunk,
  type Memory,
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../shared/gen/service/v1/retrieve_pb.ts';

/** Codes of status events: remarks inside a stream, never errors of the call. */
export type StatusCode =
  | 'EXPLAIN'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'EMBEDDER_FAILED'
  | 'EMBEDDER_UNAVAILABLE'
  | 'EMBEDDER_TIMEOUT'
  | 'PARTIAL_RESULTS'
  | 'VECTOR_SEARCH_FAILED'
  | 'VECTOR_SEARCH_TIMEOUT'
  | 'VECTOR_SEARCH_PARTIAL'
  | 'SPACE_NO_EMBEDDERS'
  | 'MEMORY_CONTENT_UNAVAILABLE'
  | 'RERANKING_FAILED'
  | 'RATE_LIMITED'
  | 'RESOURCE_EXHAUSTED'
  | 'CONFIGURATION_ERROR'
  | 'FEATURE_DISABLED';

export type StageName = 'vector_search';

export function statusEvent(
  code: StatusCode,
  message: string,
  details: Record<string, string> = {},
): RetrieveMemoryEvent {
  const value: Omit<Status, '$typeName'> = { code, message, details };
  return create(RetrieveMemoryEventSchema, { event: { case: 'status', value } });
}

export function beginEvent(resultSetId: string, stageName: StageName, expectedItems: number): RetrieveMemoryEvent {
  const value = { resultSetId, kind: Kind.BEGIN, stageName, expectedItems };
  return create(RetrieveMemoryEventSchema, { event: { case: 'resultSetBoundary', value } });
}

export function endEvent(resultSetId: string): RetrieveMemoryEvent {
  const value = { resultSetId, kind: Kind.END, stageName: '' };
  return create(RetrieveMemoryEventSchema, { event: { case: 'resultSetBoundary', value } });
}

export function memoryEvent(memory: Memory): RetrieveMemoryEvent {
  return create(RetrieveMemoryEventSchema, { event: { case: 'memoryDefinition', value: memory } });
}

export function itemEvent(item: {
  chunk: Chunk;
  memoryIndex: number;
  relevanceScore: number;
  resultSetId: string;
}): RetrieveMemoryEvent {
  const { chunk, ...rest } = item;
  const value = { item: { case: 'chunk' as const, value: chunk }, ...rest };
  return create(RetrieveMemoryEventSchema, { event: { case: 'retrievedItem', value } });
}
