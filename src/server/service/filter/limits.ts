/** Characters (code points) of a filter. */
export const MAX_CHARACTERS = 10_000;

/** Levels of nesting, and steps of a path. */
export const MAX_DEPTH = 100;

/** Items of one list: `IN (…)`, `[…]`, `coalesce(…)`. */
export const MAX_ITEMS = 1000;

/** Digits on either side of the decimal point. */
export const MAX_DIGITS = 500;

/**
 * Steps of `filterCost`. A space of 10,000 memories with small metadata takes 3 s for the most expensive filter that is
 * accepted; without the bound 10,000 characters could make it 15 s.
 */
export const MAX_COST = 300;
