import { ServiceError } from '../../../shared/errors.ts';

/** Where a subject stands in the present window. */
export interface RateStanding {
  /** Requests per window. */
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetsAt: number;
  windowSeconds: number;
  /** False when the request that asked is beyond the limit. */
  isAllowed: boolean;
  /** Whole seconds until the window ends, at least 1. */
  retryAfterSeconds: number;
}

export function beyondLimit({ limit, windowSeconds, retryAfterSeconds }: RateStanding): ServiceError {
  return new ServiceError('RESOURCE_EXHAUSTED', 'Too many requests', {
    details: `limit ${limit} per ${windowSeconds} s; retry after ${retryAfterSeconds} s`,
    retryAfterSeconds,
  });
}
