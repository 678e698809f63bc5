import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { sendError } from './errors.ts';

const PERIOD_MS = 60_000;
/** A kilobyte a second: less than any connection on which anybody would send a document. */
const MIN_BYTES = 64 * 1024;

/**
 * Refuses a body that stops coming: in every period it has to make progress or to end. A limit on the whole body would
 * break long uploads over slow lines. Time in which the server itself does not read is not held against the client.
 */
export function watchBody(request: FastifyRequest, reply: FastifyReply, periodMs: number = PERIOD_MS): void {
  const { headers, raw } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  let seen = raw.socket.bytesRead;
  let isOver = false;
  const judge = () => {
    const came = raw.socket.bytesRead - seen;
    seen = raw.socket.bytesRead;
    if (isOver || raw.complete || came >= MIN_BYTES || isHeldUp(request)) return;
    stop();
    refuse(request, reply, periodMs);
  };
  // A turn of the loop later: what came while the loop was busy is read by then.
  const timer = setInterval(() => setImmediate(judge), periodMs);
  const stop = () => {
    isOver = true;
    clearInterval(timer);
  };
  raw.once('end', stop);
  reply.raw.once('close', stop);
}

/** Bytes lie here that nobody has taken. */
function isHeldUp({ raw }: FastifyRequest): boolean {
  return raw.readableLength > 0 || raw.isPaused();
}

function refuse(request: FastifyRequest, reply: FastifyReply, periodMs: number): void {
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const error = new ServiceError('INVALID_REQUEST', 'The body does not come', {
    details: `less than ${MIN_BYTES} bytes in ${periodMs / 1000} s`,
  });
  request.report?.fail(error.code);
  // Closes the connection with the answer, and so ends whoever waits for the rest of the body.
  sendError(reply.header('connection', 'close'), error);
}
