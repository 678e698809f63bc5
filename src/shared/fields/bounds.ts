type Unit = 'character' | 'byte' | 'item' | 'entry' | 'member';

/** Words for bounds: `must have 1 to 255 characters`, `must have at most 8 items`; `undefined` when the size is within them. */
export function sizeProblem(
  size: number,
  bounds: { min?: number | undefined; max?: number | undefined },
  unit: Unit,
): string | undefined {
  const { min = 0, max = Number.POSITIVE_INFINITY } = bounds;
  if (size >= min && size <= max) return undefined;
  if (min > 0 && max !== Number.POSITIVE_INFINITY) return `must have ${min} to ${counted(max, unit)}`;
  return min > 0 ? `must have at least ${counted(min, unit)}` : `must have at most ${counted(max, unit)}`;
}

/** Words for the bounds of a number. A top that is only the end of the type is not worth telling. */
export function rangeProblem(
  value: number,
  bounds: { min?: number | undefined; max?: number | undefined; positive?: boolean },
): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  if (bounds.positive === true && value <= 0) return 'must be greater than 0';
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds;
  if (value >= min && value <= max) return undefined;
  if (min === Number.NEGATIVE_INFINITY) return `must be at most ${max}`;
  return max >= 2 ** 31 - 1 ? `must be at least ${min}` : `must be between ${min} and ${max}`;
}

function counted(count: number, unit: Unit): string {
  if (count === 1) return `1 ${unit}`;
  return unit === 'entry' ? `${count} entries` : `${count} ${unit}s`;
}
