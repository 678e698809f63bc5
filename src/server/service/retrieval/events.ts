import type { Status } from '../../../shared/gen/service/v1/common_pb.ts';
import type { Memory, RetrievedItem, RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind, type ResultSetBoundary } from '../../../shared/gen/service/v1/retrieve_pb.ts';

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

type Event = RetrieveMemoryEvent['event'];

/** Written out, because `create` takes ten times as long and a stream has many of them. */
function eventOf(event: Event): RetrieveMemoryEvent {
  return { $typeName: 'service.v1.RetrieveMemoryEvent', event };
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
  return eventOf({ case: 'status', value: { $typeName: 'service.v1.Status', ...value } });
}

export function beginEvent(resultSetId: string, stageName: StageName, expectedItems: number): RetrieveMemoryEvent {
  return boundaryEvent({ resultSetId, kind: Kind.BEGIN, stageName, expectedItems });
}

export function endEvent(resultSetId: string): RetrieveMemoryEvent {
  return boundaryEvent({ resultSetId, kind: Kind.END, stageName: '' });
}

function boundaryEvent(value: Omit<ResultSetBoundary, '$typeName'>): RetrieveMemoryEvent {
  return eventOf({ case: 'resultSetBoundary', value: { $typeName: 'service.v1.ResultSetBoundary', ...value } });
}

export function memoryEvent(value: Memory): RetrieveMemoryEvent {
  return eventOf({ case: 'memoryDefinition', value });
}

export function itemEvent(item: Omit<RetrievedItem, '$typeName'>): RetrieveMemoryEvent {
  return eventOf({ case: 'retrievedItem', value: { $typeName: 'service.v1.RetrievedItem', ...item } });
}

export function deltaEvent(resultSetId: string, text: string): RetrieveMemoryEvent {
  return eventOf({ case: 'abstractDelta', value: { $typeName: 'service.v1.AbstractDelta', text, resultSetId } });
}

export function replyEvent(resultSetId: string, text: string): RetrieveMemoryEvent {
  const value = { $typeName: 'service.v1.AbstractReply', text, relevanceScore: 0, resultSetId } as const;
  return eventOf({ case: 'abstractReply', value });
}
