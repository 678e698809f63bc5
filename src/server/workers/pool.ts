import type { TransferListItem } from 'node:worker_threads';
import { ServiceError } from '../../shared/errors.ts';
import { type Job, PoolThread } from './pool-thread.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';

export interface WorkerPoolOptions {
  /** Threads at most; they are started when work first needs them. */
  size: number;
  /** The compiled entry of a thread. */
  entry?: URL;
  /** Heap of one thread in MiB; buffers outside the heap (the bytes of a document) do not count. */
  maxOldSpaceMb?: number;
}

export interface RunOptions {
  /** Removes a queued task, terminates a running one; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Bound of the work itself in milliseconds; waiting in the queue and starting a thread do not count. */
  timeoutMs: number;
  /** Buffers of the input that move to the thread and are empty here once the task is under way. */
  transfer?: readonly TransferListItem[];
}

export interface WorkerPool {
  /**
   * Runs one task, first come first served. Rejects with the task's own ServiceError, WorkerTimeout,
   * WorkerOutOfMemory, the signal's reason, or UNAVAILABLE once the pool is closed.
   */
  run<N extends TaskName>(task: N, input: TaskInput<N>, options: RunOptions): Promise<TaskOutput<N>>;
  /** Rejects everything queued and running, ends all threads. Safe to call twice. */
  close(): Promise<void>;
}

const DEFAULT_MAX_OLD_SPACE_MB = 512;

/** One pool of threads for all heavy or hostile work. A failing task takes down its own thread at most. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const entry = options.entry ?? new URL('./thread.js', import.meta.url);
  const maxOldSpaceMb = options.maxOldSpaceMb ?? DEFAULT_MAX_OLD_SPACE_MB;
  const queue = new Set<Job>();
  const threads = new Set<PoolThread>();
  let closed = false;

  function dispatch(): void {
    for (const job of queue) {
      const thread = findThread();
      if (thread === undefined) return;
      queue.delete(job);
      thread.run(job);
    }
  }

  function findThread(): PoolThread | undefined {
    for (const thread of threads) if (thread.idle) return thread;
    if (threads.size >= options.size) return undefined;
    const thread: PoolThread = new PoolThread(entry, maxOldSpaceMb, {
      onIdle: dispatch,
      onExit: () => {
        threads.delete(thread);
        if (!closed) dispatch();
      },
    });
    threads.add(thread);
    return thread;
  }

  function cancel(job: Job, reason: unknown): void {
    if (queue.delete(job)) job.reject(reason);
    else for (const thread of threads) if (thread.job === job) thread.fail(reason);
  }

  function run<N extends TaskName>(task: N, input: TaskInput<N>, runOptions: RunOptions): Promise<TaskOutput<N>> {
    const { signal, timeoutMs, transfer = [] } = runOptions;
    return new Promise<unknown>((resolve, reject) => {
      if (closed) throw closedError();
      signal?.throwIfAborted();
      const job: Job = { task, input, timeoutMs, transfer, resolve: settle(resolve), reject: settle(reject) };
      const onAbort = () => cancel(job, signal?.reason);
      function settle<T>(end: (value: T) => void) {
        return (value: T) => {
          signal?.removeEventListener('abort', onAbort);
          end(value);
        };
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.add(job);
      dispatch();
    }) as Promise<TaskOutput<N>>;
  }

  async function close(): Promise<void> {
    closed = true;
    for (const job of queue) job.reject(closedError());
    queue.clear();
    await Promise.all([...threads].map((thread) => thread.end(closedError())));
  }

  return { run, close };
}

function closedError(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The worker pool is closed');
}
