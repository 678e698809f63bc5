/** `1 result`, `2 results`; `1 memory`, `2 memories`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`.replace(/([^aeiou])ys$/, '$1ies')}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Milliseconds in their two largest units: `1 d 3 h`, `12 min 5 s`, `0 s`. */
export function durationText(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first === -1) return '0 s';
  let rest = ms;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return `${count} ${unit}`;
  });
  return parts.filter((part, index) => index === 0 || !part.startsWith('0 ')).join(' ');
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

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
