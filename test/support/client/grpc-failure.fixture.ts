import { Metadata } from '@grpc/grpc-js';
import { toGrpcError } from '../../../src/server/transport/grpc/status.ts';
import type { ServiceError } from '../../../src/shared/errors.ts';

/** A failure as a handler throws it: the gRPC status, its message, the metadata behind it. */
export function failure(status: number, details: string, trailing: Record<string, string> = {}): Error {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailing)) metadata.set(name, value);
  return Object.assign(new Error(details), { code: status, details, metadata });
}

/** A failure as the server makes it of an error, with all that its metadata tells. */
export function refusal(error: ServiceError): Error {
  return toGrpcError(error);
}
