import { Client, credentials, type ServiceError as GrpcError, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll } from 'vitest';
import { SpaceService } from '../../../src/shared/gen/service/v1/space_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import type { useServer } from '../../support/server.fixture.ts';

export interface Reply {
  bytes: Uint8Array | undefined;
  error: GrpcError | undefined;
  headers: Metadata | undefined;
}

export const pathOf = (service: string, method: string) => `/${service}/${method}`;
export const LIST_SPACES = pathOf(SpaceService.typeName, 'ListSpaces');

/** The service of every operation. */
export function servicesOf(): string[] {
  return Object.values(OPERATIONS).map((operation) => operation.rpc.parent.typeName);
}

/** The metadata with these entries. */
export function metadata(entries: Readonly<Record<string, string>> = {}): Metadata {
  const result = new Metadata();
  for (const [name, value] of Object.entries(entries)) result.set(name, value);
  return result;
}

/** Calls of raw bytes to the server, on a connection of the file's own. */
export function useRawGrpc(running: ReturnType<typeof useServer>) {
  let client: Client | undefined;
  beforeAll(() => {
    client = new Client(running.server.grpc.replace('http://', ''), credentials.createInsecure());
  });
  afterAll(() => client?.close());
  const connected = (): Client => {
    if (client === undefined) throw new Error('the client is made before the first test');
    return client;
  };

  /** A unary call; as root unless other metadata is given. */
  function call(path: string, bytes: Uint8Array, entries?: Record<string, string>, deadline?: Date): Promise<Reply> {
    const sent = metadata(entries ?? { 'x-api-key': running.rootKey });
    return new Promise((resolve) => {
      let headers: Metadata | undefined;
      const request = connected().makeUnaryRequest(
        path,
        (value: Uint8Array) => Buffer.from(value),
        (value: Buffer) => new Uint8Array(value),
        bytes,
        sent,
        deadline === undefined ? {} : { deadline },
        (error, response) => resolve({ bytes: response, error: error ?? undefined, headers }),
      );
      request.on('metadata', (received) => (headers = received));
    });
  }

  /** A call that streams its answer, as root. */
  function serverStream(path: string, bytes: Buffer): Promise<{ messages: Buffer[]; error: GrpcError | undefined }> {
    return new Promise((resolve) => {
      const messages: Buffer[] = [];
      const stream = connected().makeServerStreamRequest(
        path,
        (value: Buffer) => value,
        (value: Buffer) => value,
        bytes,
        metadata({ 'x-api-key': running.rootKey }),
      );
      stream.on('data', (message: Buffer) => messages.push(message));
      stream.on('error', (error: GrpcError) => resolve({ messages, error }));
      stream.on('end', () => resolve({ messages, error: undefined }));
    });
  }

  return { connected, call, serverStream };
}
