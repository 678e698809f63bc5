import type { DescEnum } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { enumNames } from '../../shared/json/enum-names.ts';
import { isoFromMs, timestampToMs } from '../../shared/time.ts';

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

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** `35 B`, `4.2 kB`, `1.3 MB`. */
export function bytesText(bytes: bigint | number): string {
  let size = Number(bytes);
  if (size < 999.5) return `${Math.round(size)} B`;
  for (const unit of ['kB', 'MB', 'GB']) {
    size /= 1000;
    if (size < 999.95 || unit === 'GB') return `${size.toFixed(1)} ${unit}`;
  }
  return '';
}
