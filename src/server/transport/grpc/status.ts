import { Metadata, type ServiceError as StatusError } from '@grpc/grpc-js';
import { STATUS_DETAILS, statusDetails } from '../../../shared/error-details.ts';
import { ERROR_CODES, ServiceError } from '../../../shared/errors.ts';
import { wellFormed } from '../../../shared/text.ts';

/** An error that is a status. */
export type GrpcError = StatusError;

/**
 * Adds to the trailing metadata what the gRPC status of an error does not have: its code and its details as text, and
 * as google.rpc details the code, the resource, the fields and the time to wait.
 */
export function addFacts(metadata: Metadata, error: ServiceError): void {
  metadata.set('x-error-code', error.code);
  metadata.set('x-error-details', encoded(error.details));
  metadata.set(STATUS_DETAILS, statusDetails(error));
}

/** An error as grpc-js sends it: the status, with everything else in `metadata`, the trailing metadata. */
export function toGrpcError(error: ServiceError, metadata: Metadata = new Metadata()): GrpcError {
  addFacts(metadata, error);
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  const details = wellFormed(error.message);
  return Object.assign(new Error(details), { code: ERROR_CODES[error.code].grpc, details, metadata });
}

/** Many clients refuse an answer whose metadata takes more than 16 KB, and then show none of it. */
const MOST_ENCODED = 8000;

/** Percent-encoded UTF-8, truncated where it is too long for metadata. */
function encoded(details: string): string {
  let told = '';
  for (const character of wellFormed(details)) {
    const next = encodeURIComponent(character);
    if (told.length + next.length > MOST_ENCODED) return `${told}${encodeURIComponent('…')}`;
    told += next;
  }
  return told;
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
