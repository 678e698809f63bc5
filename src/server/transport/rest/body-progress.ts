import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { PROGRESS_PERIOD_MS, watchProgress } from '../progress.ts';
import { sendError } from './errors.ts';

/** Refuses a body that stalls. Time in which the server itself does not read does not count. */
export function watchBody(request: FastifyRequest, reply: FastifyReply, periodMs: number = PROGRESS_PERIOD_MS): void {
  const { headers, raw } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const body = {
    received: () => raw.socket.bytesRead,
    held: () => request.share.held,
    isExcused: () => raw.complete || isHeldUp(request),
  };
  const stop = watchProgress(body, periodMs, (details) => refuse(request, reply, details));
  raw.once('end', stop);
  reply.raw.once('close', stop);
}

/** Whether bytes have arrived that the server has not read. */
function isHeldUp({ raw }: FastifyRequest): boolean {
  return raw.readableLength > 0 || raw.isPaused();
}

function refuse(request: FastifyRequest, reply: FastifyReply, details: string): void {
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const error = new ServiceError('INVALID_REQUEST', 'The request body arrived too slowly', { details });
  request.report?.fail(error.code);
  // Closes the connection after the answer, which also ends every reader that waits for the rest of the body.
  sendError(reply.header('connection', 'close'), error);
}
