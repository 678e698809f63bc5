import { Metadata } from '@grpc/grpc-js';

/** A failure as a handler throws it: the gRPC status, its message, the metadata behind it. */
export function failure(status: number, details: string, trailing: Record<string, string> = {}): Error {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailing)) metadata.set(name, value);
  return Object.assign(new Error(details), { code: status, details, metadata });
}
