import type { FlagSet } from './flag.ts';

/** The same flags, listed by help under a heading of their own. */
export function inGroup<const F extends FlagSet>(group: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, { ...flag, group }])) as F;
}
