import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** An error of Fastify as a ServiceError; errors that are not the client's fault come back as they are. */
export function fromFastify(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if ((error as FastifyError).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ServiceError('INVALID_REQUEST', 'The content type of the body is not supported');
  }
  const status = (error as FastifyError).statusCode;
  return status !== undefined && status >= 400 && status < 500
    ? new ServiceError('INVALID_REQUEST', 'The request is malformed', { details: error.message })
    : error;
}

/** A draining server is replaced, and a database is back, within seconds if at all; an earlier retry is of no use. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/**
 * The error body, the same for every failure. The client libraries for which `--sdk-events` exists read `message` at
 * the top level.
 */
export function errorBody({ code, message, details }: ServiceError, sdkEvents: boolean): string {
  return JSON.stringify({ error: { code, message, details }, ...(sdkEvents ? { message } : {}) });
}

/** Sends the error body with its status, and with Retry-After and WWW-Authenticate where they apply. */
export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  const { code, retryAfterSeconds = code === 'UNAVAILABLE' ? UNAVAILABLE_RETRY_SECONDS : undefined } = error;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (code === 'UNAUTHENTICATED') reply.header('www-authenticate', challengeOf(reply.request));
  return reply
    .code(error.http)
    .header('content-type', JSON_CONTENT_TYPE)
    .send(errorBody(error, reply.server.sdkEvents));
}

/** The challenge of a 401: an API key or, on routes without one, the header that takes the secret. */
function challengeOf({ routeOptions, call }: FastifyRequest): string {
  if (routeOptions.url === '/metrics') return 'X-Service-Metrics-Key realm="metrics"';
  return call?.context.operation.auth === 'none' ? 'X-Service-Init-Token realm="svc"' : 'Bearer realm="svc"';
}
