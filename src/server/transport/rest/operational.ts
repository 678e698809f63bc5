import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { CallObserver } from '../call-observer.ts';
import { encoded } from './compression.ts';
import { JSON_CONTENT_TYPE } from './errors.ts';

/** What `/metrics` serves, and the secret that it requires. */
export interface MetricsEndpoint {
  /** The required value of `X-Service-Metrics-Key`; undefined when none is required. */
  secret: string | undefined;
  contentType: string;
  scrape(): Promise<string>;
}

/**
 * Adds `/metrics`, which answers in every state of the server and is not rate-limited, as it shows why a server fails.
 */
export function addMetricsRoute(
  server: FastifyInstance,
  { secret, contentType, scrape }: MetricsEndpoint,
  observer: Pick<CallObserver, 'authFailed'>,
): void {
  const isRight = secret === undefined ? () => true : comparison(secret);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isRight(request.headers['x-service-metrics-key'])) {
      observer.authFailed('metrics_key');
      throw new ServiceError('UNAUTHENTICATED', 'The metrics secret is missing or wrong', {
        details: 'send it in the header X-Service-Metrics-Key',
      });
    }
    reply.header('content-type', contentType).header('cache-control', 'no-store');
    return reply.send(await encoded(request, reply, await scrape()));
  };
  server.route({ method: ['GET', 'HEAD'], url: '/metrics', handler });
}

/**
 * Compares digests, which have one length, so that the time of the comparison reveals neither the secret nor its
 * length.
 */
function comparison(secret: string): (given: unknown) => boolean {
  const wanted = digest(secret);
  return (given) => timingSafeEqual(digest(typeof given === 'string' ? given : ''), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The health endpoints, without a key. `/health` and `/livez` answer as long as the process does. */
export function addHealthRoutes(server: FastifyInstance, lifecycle: Lifecycle): void {
  const probes: Readonly<Record<string, () => boolean>> = {
    '/health': () => true,
    '/livez': () => true,
    '/readyz': () => lifecycle.serving,
    '/startupz': () => lifecycle.started,
  };
  for (const [path, healthy] of Object.entries(probes)) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (_request, reply) =>
        reply
          .code(healthy() ? 200 : 503)
          .header('content-type', JSON_CONTENT_TYPE)
          .send(JSON.stringify(bodyOf(lifecycle))),
    });
  }
}

/** `database` explains why `/readyz` fails although the state is READY. */
function bodyOf({ state, started, databaseAnswers }: Lifecycle): Record<string, unknown> {
  return { state, started, ...(databaseAnswers ? {} : { database: 'NOT_ANSWERING' }) };
}
