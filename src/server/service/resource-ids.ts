import { v7 } from 'uuid';
import { ServiceError } from '../../shared/errors.ts';

/** An id for a new resource; ids of one process sort by the time of their making. */
export function newId(): string {
  return v7();
}

export type ResourceKind = 'Space' | 'Memory' | 'Embedder' | 'LLM' | 'Reranker' | 'User' | 'API key';

/** The error for an id, or another key, that names nothing. */
export function notFound(kind: ResourceKind, id: string): ServiceError {
  return new ServiceError('NOT_FOUND', `${kind} not found: ${id}`);
}

/** The row of a statement that always returns one. */
export function written<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError('INTERNAL', 'The database returned no row for a write');
  return row;
}
