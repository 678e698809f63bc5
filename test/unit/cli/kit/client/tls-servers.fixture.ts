import type { ServerCredentials } from '@grpc/grpc-js';
import { afterEach } from 'vitest';
import { SystemService } from '../../../../../src/shared/gen/service/v1/system_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../../support/client/grpc-server.fixture.ts';
import { type Door, openDoor } from '../../tls.fixture.ts';

interface TlsServers {
  /** A server that answers `system info`; without credentials it speaks plaintext. */
  serve(credentials?: ServerCredentials): Promise<TestGrpcServer>;
  door(...ports: readonly number[]): Promise<Door>;
}

/** Servers, and doors in front of them, that are closed after each test. */
export function useTlsServers(): TlsServers {
  const opened: { close(): void }[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
  });
  const kept = <T extends { close(): void }>(each: T): T => {
    opened.push(each);
    return each;
  };
  const handlers = { unary: { GetSystemInfo: () => ({ version: '1.2.3' }) } };
  return {
    serve: async (credentials) => kept(await startGrpcServer([SystemService], handlers, credentials)),
    door: async (...ports) => kept(await openDoor(...ports)),
  };
}
