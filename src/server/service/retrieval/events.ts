import { create } from '@bufbuild/protobuf';
import type { Status } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type Memory,
  type RetrievedItem,
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../../shared/gen/service/v1/retrieve_pb.ts';

/** Codes of the status events that the service itself sends. They are notices inside a stream, never errors of the call. */
const STATUS_CODES = [
  'EXPLAIN',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'FAILED_PRECONDITION',
  'EMBEDDER_FAILED',
  'EMBEDDER_UNAVAILABLE',
  'EMBEDDER_TIMEOUT',
  'PARTIAL_RESULTS',
  'VECTOR_SEARCH_FAILED',
  'VECTOR_SEARCH_TIMEOUT',
  'VECTOR_SEARCH_PARTIAL',
  'SPACE_INACCESSIBLE',
  'SPACE_NOT_FOUND',
  'SPACE_NO_EMBEDDERS',
  'CHUNK_NOT_FOUND',
  'MEMORY_LOAD_FAILED',
  'MEMORY_CONTENT_UNAVAILABLE',
  'RERANKING_FAILED',
  'SUMMARIZATION_FAILED',
  'SUMMARIZATION_TIMEOUT',
  'RATE_LIMITED',
  'RESOURCE_EXHAUSTED',
  'CONFIGURATION_ERROR',
  'FEATURE_DISABLED',
] as const;

export type StatusCode = (typeof STATUS_CODES)[number];

export function isStatusCode(code: string): code is StatusCode {
  return (STATUS_CODES as readonly string[]).includes(code);
}

/** The stage that ranked the results of a stream. */
export type StageName = 'vector_search' | 'rerank';

export function statusEvent(
  code: StatusCode,
  message: string,
  details: Record<string, string> = {},
): RetrieveMemoryEvent {
  return statusEventOf({ code, message, details });
}

/** A status with any code, as custom post processors may send. */
export function statusEventOf(value: Omit<Status, '$typeName'>): RetrieveMemoryEvent {
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
  item: RetrievedItem['item'];
  memoryIndex: number;
  relevanceScore: number;
  resultSetId: string;
}): RetrieveMemoryEvent {
  return create(RetrieveMemoryEventSchema, { event: { case: 'retrievedItem', value: item } });
}

export function deltaEvent(resultSetId: string, text: string): RetrieveMemoryEvent {
  const value = { text, resultSetId };
  return create(RetrieveMemoryEventSchema, { event: { case: 'abstractDelta', value } });
}

export function replyEvent(resultSetId: string, text: string): RetrieveMemoryEvent {
  const value = { text, relevanceScore: 0, resultSetId };
  return create(RetrieveMemoryEventSchema, { event: { case: 'abstractReply', value } });
}
