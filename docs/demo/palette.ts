/** The sixteen colors of a terminal, chosen to be legible on the dark background below. */
const BASE: readonly string[] = [
  '#484f58',
  '#ff7b72',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#c9d1d9',
  '#8b949e',
  '#ffa198',
  '#7ee787',
  '#f2cc60',
  '#a5d6ff',
  '#e2c5ff',
  '#b3f0ff',
  '#f0f6fc',
];

export const BACKGROUND = '#0d1117';
export const FOREGROUND = '#c9d1d9';
export const BORDER = '#30363d';

const LEVELS: readonly number[] = [0, 95, 135, 175, 215, 255];

/** `#rrggbb` of a color of the palette of 256: sixteen, a cube of 6 × 6 × 6, 24 grays. */
export function hexOf(color: number | string): string {
  if (typeof color === 'string') return color;
  const base = BASE[color];
  if (base !== undefined) return base;
  if (color >= 232) return hex([0, 0, 0].map(() => 8 + 10 * (color - 232)));
  const cube = color - 16;
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => LEVELS[step] ?? 0));
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
