import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** The ServiceError inside or behind an error of the HTTP layer; other errors come back as they are. */
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

/** A server that drains is replaced and a database comes back within seconds, if at all; no sooner need one ask. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** The error body, the same for every failure. Client libraries that `--sdk-events` is for read its message at the top. */
export function errorBody({ code, message, details }: ServiceError, sdkEvents: boolean): string {
  return JSON.stringify({ error: { code, message, details }, ...(sdkEvents ? { message } : {}) });
}

/** Sends the error body with its status and the headers that say what to do about it. */
export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  const { code, retryAfterSeconds = code === 'UNAVAILABLE' ? UNAVAILABLE_RETRY_SECONDS : undefined } = error;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (code === 'UNAUTHENTICATED') reply.header('www-authenticate', challengeOf(reply.request));
  return reply
    .code(error.http)
    .header('content-type', JSON_CONTENT_TYPE)
    .send(errorBody(error, reply.server.sdkEvents));
}

/** What a 401 asks for: an API key or, where none is taken, a secret in a header of its own, which is named instead. */
function challengeOf({ routeOptions, call }: FastifyRequest): string {
  if (routeOptions.url === '/metrics') return 'X-Service-Metrics-Key realm="metrics"';
  return call?.context.operation.auth === 'none' ? 'X-Service-Init-Token realm="svc"' : 'Bearer realm="svc"';
}
