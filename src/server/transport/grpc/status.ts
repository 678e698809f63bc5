import { Metadata, type ServiceError as StatusError } from '@grpc/grpc-js';
import { STATUS_DETAILS, statusDetails } from '../../../shared/error-details.ts';
import { ERROR_CODES, ServiceError } from '../../../shared/errors.ts';

/** An error that is a status. */
export type GrpcError = StatusError;

/**
 * Adds what the gRPC status does not tell of an error to trailing metadata: its code and its details as text, and both
 * once more, with the resource, the fields and the time to wait, as the details of google.rpc.
 */
export function addFacts(metadata: Metadata, error: ServiceError): void {
  metadata.set('x-error-code', error.code);
  metadata.set('x-error-details', encoded(error.details));
  metadata.set(STATUS_DETAILS, statusDetails(error));
}

/** An error as grpc-js sends it: the status, and what else there is to tell in the trailing metadata, added to `metadata`. */
export function toGrpcError(error: ServiceError, metadata: Metadata = new Metadata()): GrpcError {
  addFacts(metadata, error);
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  const details = wellFormed(error.message);
  return Object.assign(new Error(details), { code: ERROR_CODES[error.code].grpc, details, metadata });
}

/** Clients refuse an answer whose metadata takes more than 16 KB or so, and say nothing of what is in it. */
const MOST_ENCODED = 8000;

/** Percent-encoded UTF-8, cut where it is too long for metadata. */
function encoded(details: string): string {
  let told = '';
  for (const character of wellFormed(details)) {
    const next = encodeURIComponent(character);
    if (told.length + next.length > MOST_ENCODED) return `${told}${encodeURIComponent('…')}`;
    told += next;
  }
  return told;
}

/** Half a surrogate pair cannot be encoded: what a caller sent may have been cut there. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
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
