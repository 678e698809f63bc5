import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { DescService } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { LONGEST_TIMER_MS } from '../../../shared/async/timer.ts';
import { Health } from '../../../shared/gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../../../shared/gen/grpc/reflection/v1/reflection_pb.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { Logger } from '../../log.ts';
import type { Calls } from '../calls.ts';
import { PROGRESS_PERIOD_MS } from '../progress.ts';
import type { TlsMaterial } from '../tls.ts';
import { Arrivals } from './arrivals.ts';
import { serviceDefinition } from './bridge.ts';
import { grpcHandlers } from './calls.ts';
import { healthImplementation } from './health.ts';
import { reflectionImplementation } from './reflection.ts';

export interface GrpcOptions {
  host: string;
  port: number;
  tls: TlsMaterial | undefined;
  maxMessageBytes: number;
  version: string;
  /** The period in which a message has to make progress; one minute by default. */
  messagePeriodMs?: number | undefined;
}

export interface RunningGrpc {
  port: number;
  /** Accepts no new calls, sends GOAWAY and waits for the running ones. */
  close(): Promise<void>;
  /** Ends every call at once. */
  destroy(): void;
}

/** Starts the gRPC side: every RPC of the operations table, health and reflection. */
export async function startGrpc(
  calls: Calls,
  lifecycle: Lifecycle,
  log: Logger,
  options: GrpcOptions,
): Promise<RunningGrpc> {
  const { maxMessageBytes, version, messagePeriodMs = PROGRESS_PERIOD_MS } = options;
  const arrivals = new Arrivals({ calls, log, version, maxMessageBytes, messagePeriodMs });
  const server = new Server({
    interceptors: [arrivals.intercept],
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    // A client that disappears without closing its connection is noticed within 80 seconds.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
  });
  const services = addServices(server, calls, arrivals);
  server.addService(
    serviceDefinition(Health),
    healthImplementation(
      lifecycle,
      services.map((service) => service.typeName),
    ),
  );
  server.addService(
    serviceDefinition(ServerReflection),
    reflectionImplementation([...services, Health, ServerReflection]),
  );
  const port = await bind(server, options);
  lifecycle.onChange((state) => {
    // Sends GOAWAY, so that clients connect to another server, and ends no stream.
    if (state === 'DRAINING') server.drain(addressOf(options.host, port), LONGEST_TIMER_MS);
  });
  return {
    port,
    close: () => new Promise((resolve) => server.tryShutdown(() => resolve())),
    destroy: () => server.forceShutdown(),
  };
}

function addServices(server: Server, calls: Calls, arrivals: Arrivals): DescService[] {
  const byService = new Map<DescService, UntypedServiceImplementation>();
  for (const [operation, handler] of grpcHandlers(calls, arrivals)) {
    const implementation = byService.get(operation.rpc.parent) ?? {};
    implementation[operation.rpc.name] = handler;
    byService.set(operation.rpc.parent, implementation);
  }
  for (const [service, implementation] of byService) server.addService(serviceDefinition(service), implementation);
  return [...byService.keys()];
}

async function bind(server: Server, { host, port, tls }: GrpcOptions): Promise<number> {
  const credentials = tls === undefined ? ServerCredentials.createInsecure() : new TlsCredentials(tls);
  try {
    return await promisify(server.bindAsync.bind(server))(addressOf(host, port), credentials);
  } catch (error) {
    throw (await listenError(host, port)) ?? error;
  }
}

function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Why nothing can listen on the address, with the code of the system; undefined where it can by now. grpc-js has words
 * alone for that, so node:net tries the address once more.
 */
async function listenError(host: string, port: number): Promise<unknown> {
  const attempt = createServer().listen({ host, port });
  try {
    await once(attempt, 'listening');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    attempt.close();
  }
}

/**
 * Credentials of a gRPC port that speaks TLS as the REST port does. Those of `ServerCredentials.createSsl` take the cipher
 * suites from a variable of the environment and the lowest version from flags of Node.js.
 */
class TlsCredentials extends ServerCredentials {
  constructor(material: TlsMaterial) {
    super(material, material);
  }

  _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
