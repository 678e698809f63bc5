import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../log.ts';

/**
 * What the caller is told about a failure. Anything that is not a ServiceError is our fault: it is logged with its
 * stack and the caller learns only the request id, by which the log line is found.
 */
export function toServiceError(error: unknown, requestId: string, log: Logger): ServiceError {
  if (error instanceof ServiceError && error.code !== 'INTERNAL') return error;
  log.error({ err: error, requestId }, 'a call failed');
  const message = error instanceof ServiceError ? error.message : 'The server failed to answer';
  return new ServiceError('INTERNAL', message, { details: requestId, cause: error });
}

/** An abort that has reached a handler: the client left, or its deadline passed. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
