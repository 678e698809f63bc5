/** What the rate limiter is told: `max` requests per window, 0 for none. */
export interface RateLimits {
  max: number;
  windowSeconds: number;
}
