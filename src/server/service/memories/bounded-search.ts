import { ServiceError } from '../../../shared/errors.ts';
import { TransientDatabaseError } from '../../store/errors.ts';

/** Who waits for more has a filter to rethink. */
const SEARCH_TIMEOUT_MS = 10_000;

/**
 * Looks for the memories that a condition means, for at most `timeoutMs`, ten seconds unless told. Throws
 * DEADLINE_EXCEEDED when that is over.
 */
export async function boundedSearch<T>(
  search: (bound: { timeoutMs: number }) => Promise<T>,
  timeoutMs: number = SEARCH_TIMEOUT_MS,
): Promise<T> {
  try {
    return await search({ timeoutMs });
  } catch (cause) {
    if (!(cause instanceof TransientDatabaseError) || cause.reason !== 'slow') throw cause;
    const message = `Looking for the memories took longer than ${timeoutMs / 1000} s and was given up; nothing was changed`;
    const details =
      'a filter of fewer steps, or a space of fewer memories, takes less; a database that is busy takes more';
    throw new ServiceError('DEADLINE_EXCEEDED', message, { details, cause });
  }
}
