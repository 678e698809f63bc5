import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import type { CallObserver } from '../call-observer.ts';
import { encoded } from './compression.ts';

/** What `/metrics` serves, and to whom. */
export interface MetricsEndpoint {
  /** Value of `X-Service-Metrics-Key`; undefined serves everybody. */
  secret: string | undefined;
  contentType: string;
  scrape(): Promise<string>;
}

/** `/metrics` answers in every state of the server and counts against no limit: it shows why the server does not work. */
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

/** Digests have one length, so that the time of the comparison tells nothing of the secret, nor of its length. */
function comparison(secret: string): (given: unknown) => boolean {
  const wanted = digest(secret);
  return (given) => timingSafeEqual(digest(typeof given === 'string' ? given : ''), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
