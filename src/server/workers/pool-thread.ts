import { type TransferListItem, Worker } from 'node:worker_threads';
import { startTimer, type Timer } from '../../shared/async/timer.ts';
import { ServiceError } from '../../shared/errors.ts';
import { fromWireError, WorkerOutOfMemory, WorkerTimeout } from './errors.ts';
import type { TaskName } from './tasks.ts';
import type { ThreadRequest, ThreadResponse } from './thread.ts';

/** One waiting or running task. */
export interface Job {
  task: TaskName;
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
  /** The thread is gone, after a failure or `end`. Called once. */
  onExit(): void;
}

/** Loading the modules of a thread takes about 0.1 s; a thread that is not up by then will never be. */
const START_TIMEOUT_MS = 30_000;

/** One worker thread and the task it works on. Any failure that leaves its state in doubt ends it. */
export class PoolThread {
  job: Job | undefined;
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
      // Flags such as --input-type or --import of the main process are not meant for the threads.
      execArgv: [],
      // Tasks need no settings, and what runs on hostile input should not hold the secrets among them.
      env: {},
    });
    this.#worker.on('message', (response: ThreadResponse) => this.#onMessage(response));
    this.#worker.on('messageerror', (error) => this.fail(error));
    this.#worker.on('error', (error) => this.fail(this.#describe(error)));
    this.#worker.on('exit', (code) => {
      this.fail(new ServiceError('INTERNAL', `Worker thread ended by itself with code ${code}`));
      events.onExit();
    });
  }

  get idle(): boolean {
    return this.job === undefined && this.#ended === undefined;
  }

  run(job: Job): void {
    this.job = job;
    this.#worker.ref();
    if (this.#ready) this.#send(job);
    else this.#deadline(job, START_TIMEOUT_MS);
  }

  /** Ends the thread and rejects its task with `error`. */
  fail(error: unknown): void {
    void this.end(error);
  }

  /** As `fail`; resolves when the thread is gone. */
  async end(error: unknown): Promise<void> {
    this.#ended ??= this.#worker.terminate();
    this.#finish()?.reject(error);
    await this.#ended;
  }

  #send(job: Job): void {
    this.#deadline(job, job.timeoutMs);
    try {
      this.#worker.postMessage({ task: job.task, input: job.input } satisfies ThreadRequest, job.transfer);
    } catch (error) {
      // The input cannot be cloned: a mistake of the caller, the thread has seen nothing of it.
      this.#release()?.reject(error);
    }
  }

  #onMessage(response: ThreadResponse): void {
    if ('ready' in response) {
      this.#ready = true;
      if (this.job === undefined) this.#worker.unref();
      else this.#send(this.job);
    } else if (response.ok) this.#release()?.resolve(response.output);
    else this.#release()?.reject(fromWireError(response.error));
  }

  /** An idle thread must not keep the process alive. */
  #release(): Job | undefined {
    const job = this.#finish();
    this.#worker.unref();
    // Deferred, so that the answer reaches its caller before the next task is copied into the thread.
    setImmediate(this.#events.onIdle);
    return job;
  }

  #finish(): Job | undefined {
    this.#timer?.clear();
    const { job } = this;
    this.job = undefined;
    return job;
  }

  #deadline(job: Job, timeoutMs: number): void {
    this.#timer?.clear();
    this.#timer = startTimer(timeoutMs, () => this.fail(new WorkerTimeout(job.task, timeoutMs)));
  }

  #describe(error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new WorkerOutOfMemory(this.job?.task ?? 'none', this.#maxOldSpaceMb, { cause: error });
    }
    return new ServiceError('INTERNAL', 'Worker thread failed', { cause: error });
  }
}
