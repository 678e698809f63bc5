import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NamedOperation } from '../../../shared/operations/operation.ts';
import { addressSubject } from '../../service/rate-limit/buckets.ts';
import type { RateStanding } from '../../service/rate-limit/rate-limiter.ts';
import { CallReport } from '../call-observer.ts';
import { type Calls, rawKeyOf } from '../calls.ts';

/** Admits a request as a call of the operation. Throws ServiceError. */
export async function admit(
  calls: Calls,
  operation: NamedOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.report = new CallReport(calls.observer, 'rest', operation);
  request.call = await calls.admit({
    operation,
    transport: 'rest',
    requestId: request.id,
    signal: request.departure,
    rawKey: rawKeyOf(header(request, 'x-api-key'), header(request, 'authorization')),
    initToken: header(request, 'x-service-init-token'),
    address: request.ip,
    onStanding: (standing) => setRateLimitHeaders(reply, standing),
  });
  request.share.belongTo(request.call.context.caller?.userId);
  // A client that disconnects while its key is looked up closes the call before there is one to end.
  if (request.departure.aborted) request.call.end();
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Sets the rate limit of the caller; nothing when there is no limit. */
function setRateLimitHeaders(reply: FastifyReply, standing: RateStanding | undefined): void {
  if (standing === undefined) return;
  reply
    .header('x-ratelimit-limit', String(standing.limit))
    .header('x-ratelimit-remaining', String(standing.remaining))
    .header('x-ratelimit-reset', String(standing.resetsAt));
}

/** Sets the rate limit of the address on a response below `/v1` that was sent before the call was counted. */
export function ensureRateLimitHeaders(calls: Calls, request: FastifyRequest, reply: FastifyReply): void {
  if (!/^\/v1(?:[/?]|$)/.test(request.url) || reply.hasHeader('x-ratelimit-limit')) return;
  setRateLimitHeaders(reply, calls.limiter?.peek(addressSubject(request.ip)));
}
