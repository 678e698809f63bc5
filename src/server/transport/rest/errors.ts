import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES, ServiceError } from '../../../shared/errors.ts';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Fastify's own refusals in our words; everything else it throws is not the caller's fault. */
const FASTIFY_ERRORS: Readonly<Record<string, (request: FastifyRequest) => ServiceError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions: { bodyLimit } }) =>
    new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is larger than the server takes', {
      details: `at most ${bodyLimit} bytes`,
    }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ServiceError('INVALID_REQUEST', 'The body does not have the length that Content-Length says'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ServiceError('INVALID_REQUEST', 'The content type of the body is not supported'),
};

/** The ServiceError inside or behind an error of the HTTP layer; other errors come back as they are. */
export function fromFastify(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  const known = FASTIFY_ERRORS[(error as FastifyError).code];
  if (known !== undefined) return known(request);
  const status = (error as FastifyError).statusCode;
  return status !== undefined && status >= 400 && status < 500
    ? new ServiceError('INVALID_REQUEST', 'The request is malformed', { details: error.message })
    : error;
}

/** The error body, the same for every failure. */
export function errorBody({ code, message, details }: ServiceError): string {
  return JSON.stringify({ error: { code, message, details } });
}

export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return reply.code(ERROR_CODES[error.code].http).header('content-type', JSON_CONTENT_TYPE).send(errorBody(error));
}
