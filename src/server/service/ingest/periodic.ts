import { sleep } from '../../../shared/async/timer.ts';
import type { IngestDeps } from './deps.ts';

export interface PeriodicTask {
  /** What the log calls it. */
  name: string;
  everyMs: number;
  /** Returns true when there is more to do at once. */
  run(signal: AbortSignal): Promise<boolean>;
}

/**
 * Runs a task again and again until the server drains or the signal aborts. Pauses are spread by a fifth, so that
 * several servers do not come at the same moment. A failure is logged and waits for the next time.
 */
export async function runPeriodically(
  { lifecycle, log }: Pick<IngestDeps, 'lifecycle' | 'log'>,
  task: PeriodicTask,
  stop: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort(stop.reason);
  const unlisten = lifecycle.onChange(() => lifecycle.draining && ending.abort());
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted || lifecycle.draining) end();
  const { signal } = ending;
  try {
    while (!signal.aborted) {
      const hasMore = await task.run(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, task: task.name }, 'a background task failed; it is tried again');
        return false;
      });
      const pauseMs = hasMore ? 0 : task.everyMs * (0.8 + 0.4 * Math.random());
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  } finally {
    unlisten();
    stop.removeEventListener('abort', end);
  }
}
