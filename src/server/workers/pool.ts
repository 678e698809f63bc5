import { type TransferListItem, Worker } from 'node:worker_threads';
import { onAbort } from '../../shared/async/abort.ts';
import { startTimer, type Timer } from '../../shared/async/timer.ts';
import { TurnQueue } from '../../shared/async/turn-queue.ts';
import { ServiceError } from '../../shared/errors.ts';
import { PACKAGE_ROOT } from '../../shared/package-root.ts';
import { fromWireError, WorkerOutOfMemory, WorkerTimeout } from './errors.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import type { ThreadRequest, ThreadResponse } from './thread.ts';

/** A waiting or running task. */
interface QueuedTask {
  name: TaskName;
  input: unknown;
  timeoutMs: number;
  owner: string;
  transfer: readonly TransferListItem[];
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface ThreadEvents {
  /** The thread has finished its task and can take another. */
  onIdle(): void;
  /** The thread has exited, after a failure or `end`. Called once. */
  onExit(): void;
}

/** Loading the modules of a thread takes about 0.1 s, so a thread that is not ready by then hangs. */
const START_TIMEOUT_MS = 30_000;

/** One worker thread and its current task. Any failure that may have corrupted its state terminates it. */
class PoolThread {
  task: QueuedTask | undefined;
  readonly #worker: Worker;
  readonly #maxOldSpaceMb: number;
  readonly #events: ThreadEvents;
  #ready = false;
  #ended: Promise<unknown> | undefined;
  #timer: Timer | undefined;

  constructor(entry: URL, maxOldSpaceMb: number, events: ThreadEvents) {
    this.#maxOldSpaceMb = maxOldSpaceMb;
    this.#events = events;
    this.#worker = new Worker(entry, {
      resourceLimits: { maxOldGenerationSizeMb: maxOldSpaceMb },
      // Without the flags of the main process, such as --input-type or --import.
      execArgv: [],
      // Tasks need no settings, and code that handles hostile input must not have access to secrets in the environment.
      env: {},
    });
    this.#worker.on('message', (response: ThreadResponse) => this.#onMessage(response));
    this.#worker.on('messageerror', (error) => this.fail(error));
    this.#worker.on('error', (error) => this.fail(this.#describe(error)));
    this.#worker.on('exit', (code) => {
      this.fail(new ServiceError('INTERNAL', `Worker thread exited with code ${code}`));
      events.onExit();
    });
  }

  get idle(): boolean {
    return this.task === undefined && this.#ended === undefined;
  }

  run(task: QueuedTask): void {
    this.task = task;
    this.#worker.ref();
    if (this.#ready) this.#send(task);
    else this.#deadline(task, START_TIMEOUT_MS);
  }

  /** Terminates the thread and rejects its task with `error`. */
  fail(error: unknown): void {
    void this.end(error);
  }

  /** As `fail`; resolves when the thread has exited. */
  async end(error: unknown): Promise<void> {
    this.#ended ??= this.#worker.terminate();
    this.#finish()?.reject(error);
    await this.#ended;
  }

  #send(task: QueuedTask): void {
    this.#deadline(task, task.timeoutMs);
    try {
      this.#worker.postMessage({ task: task.name, input: task.input } satisfies ThreadRequest, task.transfer);
    } catch (error) {
      // The input cannot be cloned: an error of the caller that does not affect the thread.
      this.#release()?.reject(error);
    }
  }

  #onMessage(response: ThreadResponse): void {
    if ('ready' in response) {
      this.#ready = true;
      if (this.task === undefined) this.#worker.unref();
      else this.#send(this.task);
    } else if (response.ok) this.#release()?.resolve(response.output);
    else this.#release()?.reject(fromWireError(response.error));
  }

  /** An idle thread must not keep the process alive. */
  #release(): QueuedTask | undefined {
    const task = this.#finish();
    this.#worker.unref();
    // Deferred, so that the caller gets its result before the next task is copied into the thread.
    setImmediate(this.#events.onIdle);
    return task;
  }

  #finish(): QueuedTask | undefined {
    this.#timer?.clear();
    const { task } = this;
    this.task = undefined;
    return task;
  }

  #deadline(task: QueuedTask, timeoutMs: number): void {
    this.#timer?.clear();
    this.#timer = startTimer(timeoutMs, () => this.fail(new WorkerTimeout(task.name, timeoutMs)));
  }

  #describe(error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new WorkerOutOfMemory(this.task?.name ?? 'none', this.#maxOldSpaceMb, { cause: error });
    }
    return new ServiceError('INTERNAL', 'Worker thread failed', { cause: error });
  }
}

interface WorkerPoolOptions {
  /** Maximum number of threads; they are started on demand. */
  size: number;
  /** The compiled entry of a thread. */
  entry?: URL;
  /** Heap limit of one thread in MiB; buffers outside the heap (the bytes of a document) do not count. */
  maxOldSpaceMb?: number;
}

export interface TaskOptions {
  /** Removes a queued task, terminates a running one; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Timeout of the task itself in milliseconds, not including the wait in the queue and the start of a thread. */
  timeoutMs: number;
  /** The user on whose behalf the task runs, if any: owners take turns, so that none of them can occupy all threads. */
  owner?: string;
  /** Buffers of the input to transfer to the thread; they are detached here once the task has started. */
  transfer?: readonly TransferListItem[];
}

export interface WorkerPool {
  /**
   * Runs one task. Tasks of the same owner run first come first served. Rejects with the task's own ServiceError, WorkerTimeout,
   * WorkerOutOfMemory, the signal's reason, or UNAVAILABLE once the pool is closed.
   */
  run<N extends TaskName>(name: N, input: TaskInput<N>, options: TaskOptions): Promise<TaskOutput<N>>;
  /** Rejects all queued and running tasks and terminates all threads. May be called twice. */
  close(): Promise<void>;
}

const DEFAULT_MAX_OLD_SPACE_MB = 512;

/** Creates the pool of threads for CPU-bound work and hostile input. A failing task terminates at most its own thread. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new ThreadPool(options);
}

class ThreadPool implements WorkerPool {
  readonly #size: number;
  readonly #entry: URL;
  readonly #maxOldSpaceMb: number;
  readonly #queue = new TurnQueue<QueuedTask>();
  readonly #threads = new Set<PoolThread>();
  #closed = false;

  constructor({ size, entry, maxOldSpaceMb }: WorkerPoolOptions) {
    this.#size = size;
    this.#entry = entry ?? new URL('dist/server/workers/thread.js', PACKAGE_ROOT);
    this.#maxOldSpaceMb = maxOldSpaceMb ?? DEFAULT_MAX_OLD_SPACE_MB;
  }

  run<N extends TaskName>(name: N, input: TaskInput<N>, options: TaskOptions): Promise<TaskOutput<N>> {
    const { signal, timeoutMs, owner = '', transfer = [] } = options;
    let unlisten = () => {};
    const outcome = new Promise<unknown>((resolve, reject) => {
      if (this.#closed) throw closedError();
      signal?.throwIfAborted();
      const task: QueuedTask = { name, input, timeoutMs, owner, transfer, resolve, reject };
      unlisten = onAbort(signal, () => this.#cancel(task, signal?.reason));
      this.#queue.add(owner, task);
      this.#dispatch();
    });
    return outcome.finally(unlisten) as Promise<TaskOutput<N>>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.clear()) task.reject(closedError());
    await Promise.all([...this.#threads].map((thread) => thread.end(closedError())));
  }

  #dispatch(): void {
    while (!this.#queue.isEmpty) {
      const thread = this.#freeThread();
      const task = thread && this.#queue.take();
      if (thread === undefined || task === undefined) return;
      thread.run(task);
    }
  }

  /** An idle thread, or a new one while there are fewer than `size`. */
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

  #cancel(task: QueuedTask, reason: unknown): void {
    if (this.#queue.delete(task.owner, task)) task.reject(reason);
    else for (const thread of this.#threads) if (thread.task === task) thread.fail(reason);
  }
}

function closedError(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The worker pool is closed');
}
