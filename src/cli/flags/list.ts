import { usageError } from '../failure.ts';
import { filling } from './flag.ts';
import { integer, toggle } from './kinds.ts';

const DEFAULT_LIMIT = 50;

/** How much of a paged list is wanted. */
export const LIMIT_FLAGS = {
  limit: filling(
    integer('--limit <n>', `The most records to list (default ${DEFAULT_LIMIT})`, { min: 1 }),
    'maxResults',
  ),
  all: toggle('--all', 'List everything'),
};

export interface Limit {
  most: number;
  /** Nobody asked for it. */
  isDefault: boolean;
}

export function limitOf({ limit, all }: { limit: number | undefined; all: boolean }): Limit {
  if (all && limit !== undefined) throw usageError('Give --limit or --all, not both');
  return { most: all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT), isDefault: !all && limit === undefined };
}
