import { Metadata, type ServiceError as StatusError } from '@grpc/grpc-js';
import { ERROR_CODES, ServiceError } from '../../../shared/errors.ts';

/** An error that is a status. */
export type GrpcError = StatusError;

/** An error as grpc-js sends it: the status, and our code and details in the trailing metadata, added to `metadata`. */
export function toGrpcError(error: ServiceError, metadata: Metadata = new Metadata()): GrpcError {
  metadata.set('x-error-code', error.code);
  metadata.set('x-error-details', encodeURIComponent(error.details));
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return Object.assign(new Error(error.message), {
    code: ERROR_CODES[error.code].grpc,
    details: error.message,
    metadata,
  });
}

/**
 * The outcome of `answer`, with anything thrown as a status. For handlers that grpc-js calls directly: what escapes
 * from one of those ends a call with UNKNOWN at best and the process at worst.
 */
export function guarded<T>(answer: () => T): { value: T } | { error: GrpcError } {
  try {
    return { value: answer() };
  } catch (cause) {
    const error = cause instanceof ServiceError ? cause : new ServiceError('INTERNAL', 'The server failed to answer');
    return { error: toGrpcError(error) };
  }
}
