import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateStanding } from '../../service/rate-limit/standing.ts';
import { addressSubject } from '../../service/rate-limit/subject.ts';
import type { Calls } from '../calls.ts';

/** Tells the caller where it stands. Without a limit there is nothing to tell. */
export function setRateLimitHeaders(reply: FastifyReply, standing: RateStanding | undefined): void {
  if (standing === undefined) return;
  reply
    .header('x-ratelimit-limit', String(standing.limit))
    .header('x-ratelimit-remaining', String(standing.remaining))
    .header('x-ratelimit-reset', String(standing.resetsAt));
}

/** The headers of a response under `/v1` that was decided before anything was counted: those of the address. */
export function ensureRateLimitHeaders(calls: Calls, request: FastifyRequest, reply: FastifyReply): void {
  if (!/^\/v1(?:[/?]|$)/.test(request.url) || reply.hasHeader('x-ratelimit-limit')) return;
  setRateLimitHeaders(reply, calls.limiter?.peek(addressSubject(request.ip)));
}
