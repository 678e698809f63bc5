import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateStanding } from '../../service/rate-limit/standing.ts';
import { addressSubject } from '../../service/rate-limit/subject.ts';
import type { Calls } from '../calls.ts';

/** Sets the rate limit of the caller; nothing when there is no limit. */
export function setRateLimitHeaders(reply: FastifyReply, standing: RateStanding | undefined): void {
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
