import { type ServiceError as GrpcError, Metadata } from '@grpc/grpc-js';
import { ERROR_CODES, type ServiceError } from '../../../shared/errors.ts';

/** An error as grpc-js sends it: the status, and our code and details in the trailing metadata. */
export function toGrpcError(error: ServiceError): GrpcError {
  const metadata = new Metadata();
  metadata.set('x-error-code', error.code);
  metadata.set('x-error-details', encodeURIComponent(error.details));
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return Object.assign(new Error(error.message), {
    code: ERROR_CODES[error.code].grpc,
    details: error.message,
    metadata,
  });
}
