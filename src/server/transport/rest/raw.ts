import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import type { CallContext } from '../../context.ts';
import type { CallReport } from '../call-report.ts';

/** What sending a response needs to know of its call. */
export interface ReplyContext extends Pick<CallContext, 'signal' | 'log'> {
  report: CallReport | undefined;
}

/**
 * Takes the response over from Fastify and sends status and headers: from here on bytes go out as they come. The status
 * is given where it may be one that Fastify does not know.
 */
export function takeOver(reply: FastifyReply, status: number = reply.statusCode): ServerResponse {
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.raw.writeHead(status, Object.fromEntries(headers.map(([name, value]) => [name, String(value)])));
  // Only now: headers that cannot be sent are still answered as a failure.
  reply.hijack();
  return reply.raw;
}

/**
 * Ends a response that has begun and cannot be completed. It has no place for an error: only the log is told. What was
 * written before still goes out, unless there is nobody left to read it.
 */
export function breakOff(raw: ServerResponse, error: unknown, { signal, log, report }: ReplyContext): void {
  if (!signal.aborted) {
    log.error({ err: error }, 'a response broke off');
    report?.fail(error instanceof ServiceError ? error.code : 'INTERNAL');
  }
  // Behind another response on its connection, this one has no socket yet.
  if (signal.aborted || raw.socket === null) raw.destroy();
  else raw.socket.destroySoon();
}
