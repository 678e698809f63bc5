import { ServiceError } from '../../../shared/errors.ts';
import { TransientDatabaseError } from '../../store/errors.ts';

/** A filter that takes longer should be simplified. */
const SEARCH_TIMEOUT_MS = 10_000;

/**
 * Runs a search for memories with a timeout, by default ten seconds. Throws DEADLINE_EXCEEDED, with advice about the
 * filter, when it is exceeded.
 */
export async function boundedSearch<T>(
  search: (bound: { timeoutMs: number }) => Promise<T>,
  timeoutMs: number = SEARCH_TIMEOUT_MS,
): Promise<T> {
  try {
    return await search({ timeoutMs });
  } catch (cause) {
    if (!(cause instanceof TransientDatabaseError) || cause.reason !== 'slow') throw cause;
    const message = `The search for memories took longer than ${timeoutMs / 1000} s and was canceled; nothing was changed`;
    const details =
      'it is faster with a simpler filter or fewer memories in the space, and slower while the database is busy';
    throw new ServiceError('DEADLINE_EXCEEDED', message, { details, cause });
  }
}
