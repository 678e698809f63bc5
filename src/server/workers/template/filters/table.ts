import { DATE_FILTERS } from './date.ts';
import type { Filter } from './filter.ts';
import { LIST_FILTERS } from './list.ts';
import { NUMBER_FILTERS } from './number.ts';
import { TEXT_FILTERS } from './text.ts';

/** Every filter of the language. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  ...DATE_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
  ...TEXT_FILTERS,
};
