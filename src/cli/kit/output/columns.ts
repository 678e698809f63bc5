import type { DescEnum } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { ProcessingHistory } from '../../../shared/gen/service/v1/memory_pb.ts';
import { enumNames } from '../../../shared/json/enum-names.ts';
import { isoFromMs, timestampToMs } from '../../../shared/time.ts';
import type { Column } from './table.ts';

/** The id of a record, or of one that it belongs to. */
export function idColumn<T>(header: string, id: (record: T) => string): Column<T> {
  return { header, value: id, whole: true, isId: true };
}

/** A moment: ISO 8601 to the second, "" when unset. */
export function timeColumn<T>(header: string, time: (record: T) => Timestamp | undefined): Column<T> {
  return {
    header,
    value: (record) => timeText(time(record)),
    whole: true,
    time: (record) => {
      const timestamp = time(record);
      return timestamp === undefined ? undefined : timestampToMs(timestamp);
    },
  };
}

/** ISO 8601 to the second, "" when unset. */
export function timeText(timestamp: Timestamp | undefined): string {
  if (timestamp === undefined) return '';
  return isoFromMs(Math.floor(timestampToMs(timestamp) / 1000) * 1000);
}

/** `a=1, b=2`, in the order of the keys. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}=${value}`).join(', ');
}

export function enumText(desc: DescEnum, value: number): string {
  return enumNames(desc).byNumber.get(value) ?? String(value);
}

/** Why processing failed last, "" when it did not or the history was not asked for. */
export function errorOf(history: ProcessingHistory | undefined): string {
  return history?.attempts[0]?.errorMessage ?? history?.latestJob?.lastError ?? '';
}
