import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import type { CallContext } from '../../context.ts';
import type { CallReport } from '../call-observer.ts';

/** What sending a response needs of its call. */
export interface ReplyContext extends Pick<CallContext, 'signal' | 'log'> {
  report: CallReport | undefined;
}

/**
 * Takes the response over from Fastify and sends status and headers; the caller then writes the bytes. `status` is
 * given where Fastify may not know it.
 */
export function takeOver(reply: FastifyReply, status: number = reply.statusCode): ServerResponse {
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.raw.writeHead(status, Object.fromEntries(headers.map(([name, value]) => [name, String(value)])));
  // Only now: an error in the headers can still be answered by Fastify.
  reply.hijack();
  return reply.raw;
}

/**
 * Ends a response that has begun and cannot be completed. It has no place for an error, which is only logged. What was
 * written before is still sent, unless the client has disconnected.
 */
export function breakOff(raw: ServerResponse, error: unknown, { signal, log, report }: ReplyContext): void {
  if (!signal.aborted) {
    log.error({ err: error }, 'a response was aborted');
    report?.fail(error instanceof ServiceError ? error.code : 'INTERNAL');
  }
  // A pipelined response has no socket before its turn.
  if (signal.aborted || raw.socket === null) raw.destroy();
  else raw.socket.destroySoon();
}
