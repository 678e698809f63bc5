import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampToMs } from '../../shared/time.ts';
import type { Column } from './layout.ts';
import { timeText } from './values.ts';

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
