import { msFromIso } from '../../../shared/time.ts';
import { usageError } from '../errors.ts';
import type { Flag } from './flag.ts';
import { single } from './kinds.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of `500ms`, `1.5s`, `2m`, `72h`, `7d`, `2w`; a bare number counts seconds. Undefined when it is none. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)?$/.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? 's'];
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

export function duration(term: string, description: string): Flag<number | undefined> {
  return single(term, description, (value, name) => {
    const ms = durationMs(value);
    if (ms !== undefined) return ms;
    throw usageError(`${name} must be a duration such as 500ms, 2s or 5m, got "${value}"`);
  });
}

/** A point in time: ISO 8601, or a duration from now. The result turns "now" into epoch milliseconds. */
export function moment(term: string, description: string): Flag<((now: number) => number) | undefined> {
  return pointInTime(term, description, 1);
}

/** A point in time that lies behind: ISO 8601, or how long ago it was. The result turns "now" into epoch milliseconds. */
export function momentAgo(term: string, description: string): Flag<((now: number) => number) | undefined> {
  return pointInTime(term, description, -1);
}

function pointInTime(
  term: string,
  description: string,
  direction: 1 | -1,
): Flag<((now: number) => number) | undefined> {
  return single(term, description, (value, name) => {
    const at = msFromIso(value);
    if (at !== undefined) return () => at;
    const distance = durationMs(value);
    if (distance !== undefined) return (now: number) => now + direction * distance;
    throw usageError(`${name} must be a time such as 2027-01-01 or a duration such as 30d, got "${value}"`);
  });
}
