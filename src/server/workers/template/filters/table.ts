import type { Filter } from './filter.ts';
import { LIST_FILTERS } from './list.ts';
import { TEXT_FILTERS } from './text.ts';

/** Every filter of the language. */
export const FILTERS: Readonly<Record<string, Filter>> = { ...LIST_FILTERS, ...TEXT_FILTERS };
