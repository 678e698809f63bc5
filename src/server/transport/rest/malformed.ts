import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../../../shared/errors.ts';
import { MAX_HEAD_BYTES } from '../../../shared/operations/routes.ts';
import { errorBody, JSON_CONTENT_TYPE, sendError } from './errors.ts';

/** How long a client may keep a connection open that the server no longer reads. */
const LINGER_MS = 5000;

/** What the response to a malformed request depends on. */
interface WireForm {
  version: string;
  sdkEvents: boolean;
}

interface ClientSocket {
  writable: boolean;
  end(text: string): void;
  destroy(): void;
}

/** Fastify options for requests that never reach a hook: they get the same headers and error body as all others. */
export function malformedRequestOptions(
  form: WireForm,
  addHeaders: (request: FastifyRequest, reply: FastifyReply) => void,
) {
  return {
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: ClientSocket) => refuseBytes(error, socket, form),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-request-id', request.id).header('x-service-version', form.version);
      addHeaders(request, reply);
      const details = error.code === 'FST_ERR_BAD_URL' ? 'malformed percent-encoding' : error.message;
      return sendError(reply, new ServiceError('INVALID_REQUEST', 'The path is malformed', { details }));
    },
  };
}

function notHttp(): ServiceError {
  return new ServiceError('INVALID_REQUEST', 'The request is not valid HTTP');
}

function headTooLarge(): ServiceError {
  return new ServiceError('INVALID_REQUEST', 'The path, the query and the headers are too long', {
    details: `at most ${MAX_HEAD_BYTES} bytes together; send a long message or filter in the body of a POST request`,
    http: 431,
  });
}

/** Answers bytes that are not HTTP, or headers that are too long. */
function refuseBytes(error: NodeJS.ErrnoException, socket: ClientSocket, { version, sdkEvents }: WireForm): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = error.code === 'HPE_HEADER_OVERFLOW' ? headTooLarge() : notHttp();
  const body = errorBody(refusal, sdkEvents);
  const head = [
    `HTTP/1.1 ${refusal.http} ${STATUS_CODES[refusal.http]}`,
    `content-type: ${JSON_CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${uuidv7()}`,
    `x-service-version: ${version}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closing at once would lose the answer for a client that is still sending, and some clients never close.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Refuses a request without a Host header. `requireHostHeader: false` lets it through, as Node would answer it without
 * an error body.
 */
export function requireHost(request: FastifyRequest): void {
  if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') return;
  throw new ServiceError('INVALID_REQUEST', 'The request has no Host header');
}
