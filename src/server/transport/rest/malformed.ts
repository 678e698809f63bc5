import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../../../shared/errors.ts';
import { MAX_HEAD_BYTES } from '../../../shared/operations/routes.ts';
import { errorBody, JSON_CONTENT_TYPE, sendError } from './errors.ts';

/** How long a client may keep a connection open that is not read any more. */
const LINGER_MS = 5000;

/** What every answer follows. */
interface WireForm {
  version: string;
  sdkEvents: boolean;
}

interface ClientSocket {
  writable: boolean;
  end(text: string): void;
  destroy(): void;
}

/** What Fastify is told to do with requests that never reach a hook; they get the headers and the error body all the same. */
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

/** Answers bytes that are no HTTP, or no end of a request's head. */
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
  // Closed at once, the answer would be lost on whoever is still sending; and some never close their side.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Node answers a request without a Host header by itself, and not in our words; so it is told to let it pass to here. */
export function requireHost(request: FastifyRequest): void {
  if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') return;
  throw new ServiceError('INVALID_REQUEST', 'The request has no Host header');
}
