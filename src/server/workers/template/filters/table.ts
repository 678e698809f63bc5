import { DATE_FILTERS } from './date.ts';
import type { TemplateFilter } from './filter.ts';
import { LIST_FILTERS } from './list.ts';
import { NUMBER_FILTERS } from './number.ts';
import { TEXT_FILTERS } from './text.ts';

/** All filters of the language. */
export const FILTERS: Readonly<Record<string, TemplateFilter>> = {
  ...DATE_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
  ...TEXT_FILTERS,
};
