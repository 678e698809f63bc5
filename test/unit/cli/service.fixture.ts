import type { DescService } from '@bufbuild/protobuf';
import { afterAll } from 'vitest';
import { type Handlers, startGrpcServer, type TestGrpcServer } from '../../support/client/grpc-server.fixture.ts';
import { type CliOptions, type CliResult, cli } from '../../support/client/host.fixture.ts';

interface Against {
  server: TestGrpcServer;
  svc(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** The request of the last call. */
  lastRequest(): Record<string, unknown>;
}

/** Stand-ins of the service whose servers are closed after the last test of the file. */
export function useService(services: readonly DescService[]): (handlers: Handlers) => Promise<Against> {
  const servers: TestGrpcServer[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  return async (handlers) => {
    const server = await startGrpcServer(services, handlers);
    servers.push(server);
    const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' };
    return {
      server,
      svc: (args, options = {}) => cli(args, { env, ...options }),
      lastRequest: () => server.calls.at(-1)?.request as Record<string, unknown>,
    };
  };
}
