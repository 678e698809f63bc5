import { Metadata, type ServiceError as StatusError } from '@grpc/grpc-js';
import { STATUS_DETAILS, trailerOf } from '../../../shared/error-details.ts';
import { ERROR_CODES, ServiceError } from '../../../shared/errors.ts';

/** An error that is a status. */
export type GrpcError = StatusError;

/**
 * Adds to the trailing metadata what the gRPC status of an error does not have: its code and its details as text, and
 * as google.rpc details the code, the resource, the fields and the time to wait. Returns the message of the status.
 */
export function addFacts(metadata: Metadata, error: ServiceError): string {
  const { message, details, statusDetails } = trailerOf(error);
  metadata.set('x-error-code', error.code);
  metadata.set('x-error-details', details);
  metadata.set(STATUS_DETAILS, statusDetails);
  return message;
}

/** An error as grpc-js sends it: the status, with everything else in `metadata`, the trailing metadata. */
export function toGrpcError(error: ServiceError, metadata: Metadata = new Metadata()): GrpcError {
  const details = addFacts(metadata, error);
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return Object.assign(new Error(details), { code: ERROR_CODES[error.code].grpc, details, metadata });
}

/**
 * The outcome of `answer`, with anything thrown as a status. For handlers that grpc-js calls directly: an exception in
 * one of those ends the call with UNKNOWN, or the process.
 */
export function guarded<T>(answer: () => T): { value: T } | { error: GrpcError } {
  try {
    return { value: answer() };
  } catch (cause) {
    const error = cause instanceof ServiceError ? cause : new ServiceError('INTERNAL', 'The server failed to answer');
    return { error: toGrpcError(error) };
  }
}
