import { v7 } from 'uuid';
import { ServiceError } from '../../shared/errors.ts';

/** An id for a new resource; ids of one process sort by the time of their making. */
export function newId(): string {
  return v7();
}

/** The row of a statement that always returns one. */
export function written<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError('INTERNAL', 'The database returned no row for a write');
  return row;
}
