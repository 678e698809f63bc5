import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { statusEvent } from './events.ts';

export function noEmbedders(spaceId: string): RetrieveMemoryEvent {
  return statusEvent(
    'SPACE_NO_EMBEDDERS',
    'The space was not searched: none of its embedders has a weight other than 0',
    { space_id: spaceId },
  );
}

export function partialSearch(spaceId: string, found: number, wanted: number): RetrieveMemoryEvent {
  const message =
    'The index scan stopped before enough chunks passed the filter; a larger hnsw.maxScanTuples finds more';
  return statusEvent('VECTOR_SEARCH_PARTIAL', message, {
    space_id: spaceId,
    found: String(found),
    wanted: String(wanted),
  });
}

export function failedSearch(spaceId: string, error: unknown): RetrieveMemoryEvent {
  const late = error instanceof ServiceError && error.code === 'DEADLINE_EXCEEDED';
  const code = late ? 'VECTOR_SEARCH_TIMEOUT' : 'VECTOR_SEARCH_FAILED';
  return statusEvent(code, late ? 'The search of the space took too long' : 'The search of the space failed', {
    space_id: spaceId,
  });
}

export function chunkNotFound({ memoryId }: { memoryId: string }): RetrieveMemoryEvent {
  return statusEvent('CHUNK_NOT_FOUND', 'A chunk was deleted during the retrieval', { memory_id: memoryId });
}

export function spaceNotFound(spaceId: string): RetrieveMemoryEvent {
  return statusEvent('SPACE_NOT_FOUND', 'The space was deleted during the retrieval', { space_id: spaceId });
}

export function spaceInaccessible(spaceId: string): RetrieveMemoryEvent {
  return statusEvent('SPACE_INACCESSIBLE', 'The permission to read the space was withdrawn during the retrieval', {
    space_id: spaceId,
  });
}

export function memoryLoadFailed(memoryId: string): RetrieveMemoryEvent {
  return statusEvent('MEMORY_LOAD_FAILED', 'The memory was deleted during the retrieval', { memory_id: memoryId });
}
