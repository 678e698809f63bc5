import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../log.ts';

/**
 * The error that the caller receives. An unexpected one is logged with its stack, and the caller gets only the request
 * id, which finds the log line.
 */
export function toServiceError(error: unknown, requestId: string, log: Logger): ServiceError {
  if (error instanceof ServiceError && error.code !== 'INTERNAL') return error;
  log.error({ err: error, requestId }, 'a call failed');
  const message = error instanceof ServiceError ? error.message : 'The server failed to answer';
  return new ServiceError('INTERNAL', message, { details: requestId, cause: error });
}

/** Whether an error is an abort: the client disconnected or canceled, or a deadline passed. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
