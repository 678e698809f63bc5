import type { Timestamp } from '@bufbuild/protobuf/wkt';

/** The range of a protobuf Timestamp in epoch milliseconds: the years 1 to 9999. */
export const MIN_EPOCH_MS = -62_135_596_800_000;
export const MAX_EPOCH_MS = 253_402_300_799_999;

export const DAY_MS = 86_400_000;

/** Epoch milliseconds of a Timestamp; parts of a millisecond are cut off. */
export function timestampToMs(timestamp: Pick<Timestamp, 'seconds' | 'nanos'>): number {
  return Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6);
}

/** `ms` are whole epoch milliseconds; negative ones lie before 1970. */
export function timestampFromMs(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  return {
    $typeName: 'google.protobuf.Timestamp',
    seconds: BigInt(seconds),
    nanos: Math.round(ms - seconds * 1000) * 1e6,
  };
}

/** ISO 8601 in UTC, without a fraction when it is zero: `2026-03-03T09:30:00Z`. */
export function isoFromMs(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Epoch milliseconds of an ISO 8601 date or time; without a zone it is UTC. `undefined` when it is none. */
export function msFromIso(text: string): number | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(0);
  // setUTCFullYear, because Date.UTC reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  date.setUTCHours(hour ?? 0, minute, second, fraction);
  // A day such as 30 February rolls over into the next month, an hour 24 into the next day.
  const rolledOver = date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day || date.getUTCHours() !== hour;
  if (rolledOver || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined;
  const offset = zoneOffsetMs(match[8]);
  if (offset === undefined) return undefined;
  const ms = date.getTime() - offset;
  return ms < MIN_EPOCH_MS || ms > MAX_EPOCH_MS ? undefined : ms;
}

function zoneOffsetMs(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/**
 * Where `from` lies seen from `to`, in whole units of the largest that fits: `2 days ago`, `in 3 hours`. Less than a
 * minute either way is `just now`. Both are epoch milliseconds or dates.
 */
export function relativeTime(from: number | Date, to: number | Date): string {
  const distance = Number(from) - Number(to);
  const size = Math.abs(distance);
  for (const [name, ms] of UNITS) {
    if (size < ms) continue;
    const count = Math.floor(size / ms);
    const words = `${count} ${name}${count === 1 ? '' : 's'}`;
    return distance < 0 ? `${words} ago` : `in ${words}`;
  }
  return 'just now';
}
