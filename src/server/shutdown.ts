import { withTimeout } from '../shared/async/deadline.ts';
import { EXIT } from '../shared/exit-codes.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';

interface Part {
  name: string;
  close(): Promise<void>;
  destroy: (() => void) | undefined;
}

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The shutdown, in named phases with a bound: drain, wait for the running work, close the parts in the order in which
 * they were added: the ports before the backend, so that no call is admitted after the database is closed. A second
 * signal ends the process at once, except SIGHUP, as both the system and the shell send one when a terminal closes.
 */
export class Shutdown {
  readonly #lifecycle: Lifecycle;
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #parts: Part[] = [];
  readonly #starting = new AbortController();
  readonly #finished: Promise<number>;
  #finish: (code: number) => void = () => {};
  #requested = false;

  constructor(lifecycle: Lifecycle, log: Logger, graceMs: number) {
    this.#lifecycle = lifecycle;
    this.#log = log;
    this.#graceMs = graceMs;
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Aborts when the server is told to stop while it starts. */
  get starting(): AbortSignal {
    return this.#starting.signal;
  }

  get requested(): boolean {
    return this.#requested;
  }

  /** Adds a part to close; `destroy` ends at once what does not end in time. */
  add(name: string, close: () => Promise<void>, destroy?: () => void): void {
    this.#parts.push({ name, close, destroy });
  }

  /** Resolves with the exit code once everything is closed. */
  async done(): Promise<number> {
    return await this.#finished;
  }

  /** Stops because a part that the server cannot do without is gone. */
  fail(error: Error): void {
    this.#log.fatal({ err: error }, 'a part of the server failed, so it stops');
    void this.#stop(1);
  }

  /** Closes every part, first one first. */
  async close(): Promise<void> {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    for (const part of this.#parts.splice(0)) await this.#closePart(part);
  }

  /** A property, as it is added to the process and removed again. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#requested && signal === 'SIGHUP') return;
    if (this.#requested) {
      this.#log.warn({ signal }, 'second signal; the server ends at once');
      process.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    }
    this.#log.info({ signal, running: this.#lifecycle.running }, 'draining');
    void this.#stop(0);
  };

  async #stop(code: number): Promise<void> {
    if (this.#requested) return;
    this.#requested = true;
    this.#starting.abort(new DOMException('The server is stopping', 'AbortError'));
    this.#lifecycle.drain();
    const grace = withTimeout(undefined, this.#graceMs);
    // Not until QUIESCED: a server that was drained before has that state, and may be serving reads.
    if (!(await this.#lifecycle.idle(grace))) {
      this.#log.warn({ running: this.#lifecycle.running }, 'work is still running after the grace period');
    }
    await this.close();
    this.#log.info('stopped');
    this.#finish(code);
  }

  /** Closing waits for connections; what is still open after a moment is ended. */
  async #closePart({ name, close, destroy }: Part): Promise<void> {
    const timer = setTimeout(() => {
      this.#log.warn({ part: name }, 'closing takes too long; its open connections are ended');
      destroy?.();
    }, 2000);
    try {
      await close();
    } catch (error) {
      this.#log.error({ err: error, part: name }, 'closing failed');
    } finally {
      clearTimeout(timer);
    }
  }
}
