import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { MAX_HEAD_BYTES } from '../../../shared/operations/routes.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { Logger } from '../../log.ts';
import type { BodyShare } from '../body-budget.ts';
import type { CallReport } from '../call-observer.ts';
import { acceptableRequestId, type Call, type Calls, isAbort, toServiceError } from '../calls.ts';
import type { TlsMaterial } from '../tls.ts';
import { ensureRateLimitHeaders } from './admission.ts';
import { addBodyParsers, watchBody } from './body.ts';
import { addConsoleRoutes } from './console.ts';
import { Cors } from './cors.ts';
import { fromFastify, sendError } from './errors.ts';
import { malformedRequestOptions, requireHost } from './malformed.ts';
import { addOpenApiRoutes } from './openapi.ts';
import { addHealthRoutes, addMetricsRoute, type MetricsEndpoint } from './operational.ts';
import { KnownPaths } from './paths.ts';
import { addProxyRoute } from './proxy.ts';
import { addOperationRoutes } from './routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether events and errors have the form that the client libraries read. */
    sdkEvents: boolean;
  }
  interface FastifyRequest {
    /** Aborts when the client disconnects before its answer is complete. */
    departure: AbortSignal;
    /** Set by the admission of a `/v1` route. */
    call: Call | undefined;
    /** Set by the admission, too: other requests are not reported. */
    report: CallReport | undefined;
    /** The memory that the body holds. */
    share: BodyShare;
    /** Whether a handler uses the body and releases its share. */
    isHandled: boolean;
  }
}

export interface RestOptions {
  host: string;
  port: number;
  tls: TlsMaterial | undefined;
  maxBodyBytes: number;
  version: string;
  /** Without it there is no `/metrics`. */
  metrics?: MetricsEndpoint | undefined;
  /** Web origins whose pages may call; none by default. */
  corsOrigins?: readonly string[];
  /** Whether events and errors have the form that the client libraries read. */
  sdkEvents?: boolean;
  /** The period in which a body has to make progress; one minute by default. */
  bodyPeriodMs?: number | undefined;
}

export interface RunningRest {
  port: number;
  /** Accepts no new connections and waits for the running requests. */
  close(): Promise<void>;
  /** Ends every connection at once. */
  destroy(): void;
}

/** Starts the REST side: every route of the operations table and the health endpoints. */
export async function startRest(
  calls: Calls,
  lifecycle: Lifecycle,
  log: Logger,
  options: RestOptions,
): Promise<RunningRest> {
  const cors = new Cors(options.corsOrigins ?? []);
  const server = createServer(calls, cors, options);
  const paths = new KnownPaths(server);
  addHooks(server, calls, { lifecycle, log, cors, paths, ...options });
  addBodyParsers(server);
  addHealthRoutes(server, lifecycle);
  if (options.metrics !== undefined) addMetricsRoute(server, options.metrics, calls.observer);
  addOperationRoutes(server, calls, options);
  addProxyRoute(server, calls, options.maxBodyBytes);
  addOpenApiRoutes(server, calls, options.version);
  addConsoleRoutes(server);
  await server.listen({ host: options.host, port: options.port });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: async () => await server.close(),
    destroy: () => server.server.closeAllConnections(),
  };
}

function createServer(
  calls: Calls,
  cors: Cors,
  { tls, maxBodyBytes, version, sdkEvents = false }: RestOptions,
): FastifyInstance {
  const options = {
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    // Long enough for the longest e-mail address, percent-encoded.
    routerOptions: { maxParamLength: 4096 },
    requestIdHeader: false as const,
    // Fastify's own 503 has neither our headers nor our error body.
    return503OnClosing: false,
    genReqId: (request: { headers: Record<string, unknown> }) =>
      acceptableRequestId(request.headers['x-request-id'] as string | undefined) ?? uuidv7(),
    // Closing the server closes idle connections and waits for running requests.
    forceCloseConnections: 'idle' as const,
    // No route has a schema: the service's own codec decodes and validates. The compilers that fastify would load for them
    // are a tenth of all modules of the server.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...malformedRequestOptions({ version, sdkEvents }, (request, reply) => {
      ensureRateLimitHeaders(calls, request, reply);
      cors.name(request, reply);
    }),
  };
  // TCP keep-alive finds clients that disappeared without closing: no idle time-out fits every call.
  const http = {
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  };
  const server =
    tls === undefined
      ? fastify({ ...options, http })
      : (fastify({ ...options, https: { ...tls, ...http } }) as unknown as FastifyInstance);
  return server.decorate('sdkEvents', sdkEvents);
}

function noSchemas(): never {
  throw new Error('Routes of this server have no schema');
}

interface Surroundings {
  lifecycle: Lifecycle;
  log: Logger;
  cors: Cors;
  paths: KnownPaths;
}

function addHooks(
  server: FastifyInstance,
  calls: Calls,
  { lifecycle, log, cors, paths, version, bodyPeriodMs }: RestOptions & Surroundings,
): void {
  server.decorateRequest('departure', undefined as unknown as AbortSignal);
  server.decorateRequest('call', undefined);
  server.decorateRequest('report', undefined);
  server.decorateRequest('share', undefined as unknown as BodyShare);
  server.decorateRequest('isHandled', false);
  server.addHook('onRequest', async (request, reply) => {
    const started = performance.now();
    closeWithSocket(request, reply);
    request.departure = signalOf(reply);
    request.share = calls.bodies.open();
    reply.raw.once('close', () => {
      request.call?.end();
      if (request.departure.aborted) request.report?.fail('CANCELLED');
      request.report?.end();
      if (!request.isHandled) request.share.release();
      logAccess(request, reply, { log, started });
    });
    reply.header('x-request-id', request.id).header('x-service-version', version);
    if (lifecycle.draining) reply.header('connection', 'close');
    if (cors.answer(request, reply)) return reply;
    requireHost(request);
    return undefined;
  });
  // Not called for streams, whose headers were set by the admission.
  server.addHook('onSend', async (request, reply) => {
    ensureRateLimitHeaders(calls, request, reply);
    // Requests that began before the drain, such as the one that started it.
    if (lifecycle.draining) reply.header('connection', 'close');
  });
  server.addHook('preParsing', async (request, reply) => watchBody(request, reply, bodyPeriodMs));
  server.setErrorHandler(async (error, request, reply) => {
    await answerError(await calls.judged(error, request.call?.context), request, reply, log);
  });
  server.setNotFoundHandler((request, reply) => paths.refuse(request, reply));
}

async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): Promise<void> {
  // A client that has disconnected gets no answer.
  if (request.departure.aborted && isAbort(error)) return;
  const failure = toServiceError(fromFastify(error), request.id, log);
  if (!request.departure.aborted) request.report?.fail(failure.code);
  if (reply.raw.headersSent || reply.raw.destroyed) return;
  await sendError(reply, failure);
}

/**
 * Closes a pipelined response with its connection: it has no socket before its turn and would miss the `close` event.
 */
function closeWithSocket({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply): void {
  if (response.socket !== null) return;
  const close = () => response.emit('close');
  // One listener per waiting response is no leak.
  socket.setMaxListeners(0).once('close', close);
  response.once('socket', () => socket.off('close', close));
}

/** Logs one line per request, with the route instead of the path, whose query may contain what users ask. */
function logAccess(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, started }: { log: Logger; started: number },
): void {
  if (!log.isLevelEnabled('debug')) return;
  const facts = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url?.replaceAll('::', ':'),
    status: reply.raw.statusCode,
    ms: Math.round(performance.now() - started),
  };
  log.debug(facts, reply.raw.writableFinished ? 'answered' : 'not answered to the end');
}

function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // Each of the queries that a call runs at once listens; that many listeners are no leak.
  setMaxListeners(0, controller.signal);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The client disconnected', 'AbortError'));
  });
  return controller.signal;
}
