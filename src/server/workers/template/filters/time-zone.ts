import { quoted, runtimeFailure } from '../failure.ts';

const FIXED = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/;
const MINUTE_MS = 60_000;

/** The offset of a zone (`UTC`, `Europe/Paris`, `+02:00`) at this instant, in milliseconds east of UTC. */
export function zoneOffset(zone: string, instant: number): number {
  if (['UTC', 'GMT', 'Z'].includes(zone)) return 0;
  const fixed = FIXED.exec(zone);
  if (fixed !== null) {
    const [, sign, hours, minutes = '0'] = fixed;
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  }
  const local = localTime(zone, new Date(instant));
  const whole = Math.floor(instant / 1000) * 1000;
  return local - whole;
}

/** `+0200`, or `+02:00` with the separator `:`. */
export function offsetText(offset: number, separator: string): string {
  const minutes = Math.abs(Math.trunc(offset / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hours}${separator}${rest}`;
}

/** The local date and time as if they were UTC. */
function localTime(timeZone: string, instant: Date): number {
  const parts = new Map(
    formatter(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, ...rest] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((type) =>
    parts.get(type as Intl.DateTimeFormatPartTypes),
  );
  const [day = 1, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Cache of the last zones of this thread: creating a formatter takes ten times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const FORMATTERS = 16;

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  if (formatters.size >= FORMATTERS) formatters.clear();
  const made = newFormatter(timeZone);
  formatters.set(timeZone, made);
  return made;
}

function newFormatter(timeZone: string): Intl.DateTimeFormat {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...numeric,
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
      timeZone,
    });
  } catch {
    throw runtimeFailure(`Unknown time zone ${quoted(timeZone)}`);
  }
}
