import { EXIT } from '../shared/exit-codes.ts';
import { type RunningBackend, startBackend } from './backend.ts';
import { addressesOf, banner } from './banner.ts';
import { startSweep } from './files/temporary-directory.ts';
import { Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { createMetrics, type Metrics, metricsEndpoint } from './metrics/metrics.ts';
import type { Prepared } from './prepare.ts';
import { Reclaim } from './reclaim.ts';
import { RateLimiter } from './service/rate-limit/rate-limiter.ts';
import type { LoadedSettings } from './settings/load.ts';
import { Shutdown } from './shutdown.ts';
import { FatalDatabaseError } from './store/errors.ts';
import { BodyBudget } from './transport/body-budget.ts';
import { Calls } from './transport/calls.ts';
import { startGrpc } from './transport/grpc/server.ts';
import { startRest } from './transport/rest/server.ts';
import type { ResolvedTls } from './transport/tls.ts';
import { BUILD, VERSION } from './version.ts';

/** What the server needs of its process. */
export interface ServerIo {
  stdout: { write(text: string): unknown; isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

/** Of a build outside a clone. */
const UNKNOWN_COMMIT = 'unknown';

/** Where the server writes. */
interface Outlets {
  io: ServerIo;
  log: Logger;
}

/** Serves until a signal ends it. Resolves with the exit code. */
export async function serve(
  loaded: LoadedSettings,
  { tls, postProcessors }: Prepared,
  { io, log }: Outlets,
): Promise<number> {
  const { settings } = loaded;
  for (const warning of [...loaded.warnings, ...tls.warnings]) log.warn(warning);
  const lifecycle = new Lifecycle();
  const limiter = new RateLimiter({ max: settings.rateLimitMax, windowSeconds: settings.rateLimitWindowS });
  const metrics = createMetrics({ lifecycle, version: VERSION, commit: BUILD.gitCommit ?? UNKNOWN_COMMIT });
  const reclaim = new Reclaim();
  const bodies = new BodyBudget(settings.requestMemoryMb * 1024 * 1024, (bytes) => reclaim.released(bytes));
  const calls = new Calls(lifecycle, log, { limiter, bodies, observer: metrics.calls });
  const shutdown = new Shutdown(lifecycle, log, settings.shutdownGraceS * 1000);
  shutdown.add('temporary folder', startSweep());
  try {
    const ports = await listen(loaded, tls, { calls, lifecycle, log, metrics, shutdown });
    const addresses = addressesOf(loaded, tls, ports);
    log.info({ ...addresses, version: VERSION, state: lifecycle.state }, 'listening');
    const backend = await startBackend({
      loaded,
      certificate: tls.expiresAt === undefined ? undefined : { selfSigned: tls.selfSigned, expiresAt: tls.expiresAt },
      lifecycle,
      limiter,
      log,
      metrics,
      postProcessors: postProcessors.factories,
      signal: shutdown.starting,
      fail: (error) => shutdown.fail(error),
    });
    shutdown.add('backend', () => backend.close());
    calls.serve(backend);
    await keepCertificate(tls, log);
    lifecycle.ready();
    // Not when the server was told to stop meanwhile.
    if (lifecycle.state === 'READY') announce(loaded, tls, addresses, backend, { io, log });
    return await shutdown.done();
  } catch (error) {
    return await giveUp(error, shutdown, log);
  }
}

interface Parts {
  calls: Calls;
  lifecycle: Lifecycle;
  log: Logger;
  metrics: Metrics;
  shutdown: Shutdown;
}

/** Opens both ports. They answer 503 until the backend is there, so that STARTING can be seen. */
async function listen(
  { settings }: LoadedSettings,
  tls: ResolvedTls,
  { calls, lifecycle, log, metrics, shutdown }: Parts,
): Promise<{ rest: number; grpc: number }> {
  const common = { host: settings.host, version: VERSION };
  const rest = await startRest(calls, lifecycle, log, {
    ...common,
    port: settings.restPort,
    tls: tls.rest,
    maxBodyBytes: settings.restMaxBodyMb * 1024 * 1024,
    corsOrigins: settings.corsOrigins,
    sdkEvents: settings.sdkEvents,
    metrics: metricsEndpoint(metrics, settings),
  });
  shutdown.add(
    'REST',
    () => rest.close(),
    () => rest.destroy(),
  );
  const grpc = await startGrpc(calls, lifecycle, log, {
    ...common,
    port: settings.grpcPort,
    tls: tls.grpc,
    maxMessageBytes: settings.grpcMaxMessageSizeMb * 1024 * 1024,
  });
  shutdown.add(
    'gRPC',
    () => grpc.close(),
    () => grpc.destroy(),
  );
  return { rest: rest.port, grpc: grpc.port };
}

/** Runs when the backend has locked the data directory, so that no other server writes the file. */
async function keepCertificate(tls: ResolvedTls, log: Logger): Promise<void> {
  try {
    await tls.keep();
  } catch (err) {
    log.warn({ err, file: tls.keptIn }, 'The certificate cannot be kept; the next start makes a new one.');
  }
}

function announce(
  loaded: LoadedSettings,
  tls: ResolvedTls,
  addresses: { rest: string; grpc: string },
  backend: RunningBackend,
  { io, log }: Outlets,
): void {
  if (io.stdout.isTTY === true) io.stdout.write(banner(loaded, tls, addresses, backend.initialized));
  log.info({ ...addresses, initialized: backend.initialized, state: 'READY' }, 'ready');
}

async function giveUp(error: unknown, shutdown: Shutdown, log: Logger): Promise<number> {
  if (shutdown.requested) return await shutdown.done();
  await shutdown.close();
  if (error instanceof FatalDatabaseError) {
    log.fatal(`${error.message} ${error.remedy}`);
    return EXIT.configuration;
  }
  if (isListenError(error)) {
    log.fatal(
      `Cannot listen on ${error.address ?? ''}:${error.port ?? ''} (${error.code}); choose other ports with --rest-port and --grpc-port`,
    );
    return EXIT.configuration;
  }
  throw error;
}

function isListenError(error: unknown): error is NodeJS.ErrnoException & { address?: string; port?: number } {
  return (
    error instanceof Error &&
    ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes((error as NodeJS.ErrnoException).code ?? '')
  );
}
