/** Most code points of a filter. */
export const MAX_CHARACTERS = 10_000;

/** Most levels of nesting, and most steps of a path. */
export const MAX_NESTING = 100;

/** Most items of one list: `IN (…)`, `[…]`, `coalesce(…)`. */
export const MAX_ITEMS = 1000;

/** Most digits on either side of the decimal point. */
export const MAX_DIGITS = 500;

/**
 * Most steps of `filterCost`. The most expensive accepted filter takes 3 s in a space of 10,000 memories with small
 * metadata; without this limit a filter of 10,000 characters could take 15 s.
 */
export const MAX_COST = 300;
