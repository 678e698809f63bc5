import { v7 } from 'uuid';
import { invalidFields, ServiceError } from '../../shared/errors.ts';
import type { Labels } from '../../shared/gen/service/v1/common_pb.ts';

/** An id for a new resource; ids of one process sort by the time of their making. */
export function newId(): string {
  return v7();
}

/** The row of a statement that always returns one. */
export function written<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError('INTERNAL', 'The database returned no row for a write');
  return row;
}

type LabelMap = Record<string, string>;

/** The label part of an update request. */
export type LabelUpdate =
  | { case: 'replaceLabels' | 'mergeLabels'; value: Labels }
  | { case: undefined; value?: undefined };

/** Labels of a space, a target or credentials. */
export const MAX_LABELS = 20;

/** Labels after an update, at most `limit` of them. Throws INVALID_ARGUMENT when a merge leaves more. */
export function updatedLabels(current: LabelMap, update: LabelUpdate, limit: number): LabelMap {
  if (update.case === undefined) return current;
  const labels = update.case === 'replaceLabels' ? update.value.labels : { ...current, ...update.value.labels };
  const count = Object.keys(labels).length;
  if (count > limit) {
    throw invalidFields([{ path: update.case, problem: `would make ${count} labels; at most ${limit} are allowed` }]);
  }
  return labels;
}
