import { openScope } from '../../../shared/async/deadline.ts';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import type { IngestDeps } from './deps.ts';

interface PeriodicTask {
  /** Name in the log. */
  name: string;
  everyMs: number;
  /** Returns true to be run again without a pause. */
  run(signal: AbortSignal): Promise<boolean>;
  /** Ends a pause. */
  wake?: Wakeup;
}

/**
 * Runs a task periodically until the server drains or the signal aborts. The interval has a jitter of a fifth, so that
 * several servers do not run it at the same moment. A failure is logged, and the task runs again after the interval.
 */
export async function runPeriodically(
  { lifecycle, log }: Pick<IngestDeps, 'lifecycle' | 'log'>,
  task: PeriodicTask,
  stop: AbortSignal,
): Promise<void> {
  const { signal, controller, close } = openScope({ signal: stop });
  const wake = task.wake ?? new Wakeup();
  const unlisten = lifecycle.onDrain(() => controller.abort());
  try {
    while (!signal.aborted) {
      const hasMore = await task.run(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, task: task.name }, 'background task failed and will retry');
        return false;
      });
      if (!hasMore) await wake.wait({ signal, timeoutMs: task.everyMs * (0.8 + 0.4 * Math.random()) });
    }
  } finally {
    unlisten();
    close();
  }
}
