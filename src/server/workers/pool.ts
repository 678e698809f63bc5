import type { TransferListItem } from 'node:worker_threads';
import { TurnQueue } from '../../shared/async/turn-queue.ts';
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
  /** On whose behalf, where that is a user: owners take turns, so that none of them keeps the threads from the others. */
  owner?: string;
  /** Buffers of the input that move to the thread and are empty here once the task is under way. */
  transfer?: readonly TransferListItem[];
}

export interface WorkerPool {
  /**
   * Runs one task, of each owner first come first served. Rejects with the task's own ServiceError, WorkerTimeout,
   * WorkerOutOfMemory, the signal's reason, or UNAVAILABLE once the pool is closed.
   */
  run<N extends TaskName>(task: N, input: TaskInput<N>, options: RunOptions): Promise<TaskOutput<N>>;
  /** Rejects everything queued and running, ends all threads. Safe to call twice. */
  close(): Promise<void>;
}

const DEFAULT_MAX_OLD_SPACE_MB = 512;

/** One pool of threads for all heavy or hostile work. A failing task takes down its own thread at most. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new ThreadPool(options);
}

class ThreadPool implements WorkerPool {
  readonly #size: number;
  readonly #entry: URL;
  readonly #maxOldSpaceMb: number;
  readonly #queue = new TurnQueue<Job>();
  readonly #threads = new Set<PoolThread>();
  #closed = false;

  constructor({ size, entry, maxOldSpaceMb }: WorkerPoolOptions) {
    this.#size = size;
    this.#entry = entry ?? new URL('./thread.js', import.meta.url);
    this.#maxOldSpaceMb = maxOldSpaceMb ?? DEFAULT_MAX_OLD_SPACE_MB;
  }

  run<N extends TaskName>(task: N, input: TaskInput<N>, options: RunOptions): Promise<TaskOutput<N>> {
    const { signal, timeoutMs, owner = '', transfer = [] } = options;
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) throw closedError();
      signal?.throwIfAborted();
      const job: Job = { task, input, timeoutMs, owner, transfer, resolve: settle(resolve), reject: settle(reject) };
      const onAbort = () => this.#cancel(job, signal?.reason);
      function settle<T>(end: (value: T) => void) {
        return (value: T) => {
          signal?.removeEventListener('abort', onAbort);
          end(value);
        };
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.add(owner, job);
      this.#dispatch();
    }) as Promise<TaskOutput<N>>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.clear()) job.reject(closedError());
    await Promise.all([...this.#threads].map((thread) => thread.end(closedError())));
  }

  #dispatch(): void {
    while (!this.#queue.isEmpty) {
      const thread = this.#freeThread();
      const job = thread && this.#queue.take();
      if (thread === undefined || job === undefined) return;
      thread.run(job);
    }
  }

  /** An idle thread, else a new one where there is room for it. */
  #freeThread(): PoolThread | undefined {
    for (const thread of this.#threads) if (thread.idle) return thread;
    if (this.#threads.size >= this.#size) return undefined;
    const thread: PoolThread = new PoolThread(this.#entry, this.#maxOldSpaceMb, {
      onIdle: () => this.#dispatch(),
      onExit: () => {
        this.#threads.delete(thread);
        if (!this.#closed) this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #cancel(job: Job, reason: unknown): void {
    if (this.#queue.delete(job.owner, job)) job.reject(reason);
    else for (const thread of this.#threads) if (thread.job === job) thread.fail(reason);
  }
}

function closedError(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The worker pool is closed');
}
