import { withDeadline as withinBounds } from '../../shared/async/deadline.ts';
import { ProviderError } from './errors.ts';

/**
 * Runs `work` under a controller whose signal ends with the caller's and at the deadline (epoch milliseconds, as a
 * `timeout`). `work` must not leave anything running when it settles.
 */
export function withDeadline<T>(
  { signal, deadlineMs, peer }: { signal: AbortSignal; deadlineMs?: number | undefined; peer: string },
  work: (scope: AbortController) => Promise<T>,
): Promise<T> {
  const timeoutMs = deadlineMs === undefined ? undefined : deadlineMs - Date.now();
  const late = () => new ProviderError('timeout', `${peer} did not answer before the deadline`);
  return withinBounds({ signal, timeoutMs, late }, ({ controller }) => work(controller));
}
