import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { RateStanding } from '../../service/rate-limit/standing.ts';
import { addressSubject } from '../../service/rate-limit/subject.ts';
import type { Calls } from '../calls.ts';

type WithPeer = Pick<ServerUnaryCall<unknown, unknown>, 'getPeer'>;

/** The peer without its port; undefined for a peer without a network address. */
export function remoteAddress(call: WithPeer): string | undefined {
  return /^(.+):\d+$/.exec(call.getPeer())?.[1];
}

/** Sets the rate limit of the caller; nothing when there is no limit. */
export function setRateLimitMetadata(metadata: Metadata, standing: RateStanding | undefined): void {
  if (standing === undefined) return;
  metadata.set('x-ratelimit-limit', String(standing.limit));
  metadata.set('x-ratelimit-remaining', String(standing.remaining));
  metadata.set('x-ratelimit-reset', String(standing.resetsAt));
}

/** Sets the rate limit of the address on a refusal that came before the call was counted. */
export function ensureRateLimitMetadata(calls: Calls, call: WithPeer, metadata: Metadata): void {
  if (metadata.get('x-ratelimit-limit').length > 0) return;
  setRateLimitMetadata(metadata, calls.limiter?.peek(addressSubject(remoteAddress(call))));
}
