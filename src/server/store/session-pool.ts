import { setMaxListeners } from 'node:events';
import { firstOf, onAbort } from '../../shared/async/abort.ts';
import { startTimer, type Timer } from '../../shared/async/timer.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { PoolStats, StatementOptions } from './db.ts';
import { abortError, connectionLost, databaseUnresponsive, poolExhausted } from './errors.ts';
import type { Session } from './session.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;
const IDLE_MS = 60_000;

interface SessionPoolOptions {
  /** Connections that stay open and are replaced when they break. */
  readonly minIdle: number;
  readonly max: number;
  /** Bound of the wait for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number;
  readonly open: (signal: AbortSignal) => Promise<Session>;
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: Error): void;
}

/**
 * A pool of sessions. Used in place of pg's own pool, which opens its minimum only on demand and cannot abort a wait: here
 * waiters are served first come first served, a wait ends with its signal, and the minimum stays open.
 */
export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #idle: { session: Session; since: number }[] = [];
  readonly #used = new Set<Session>();
  readonly #waiting: Waiter[] = [];
  readonly #closing = closingController();
  readonly #sweeper: NodeJS.Timeout;
  #opening = 0;
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  #emptied: (() => void) | undefined;
  #suspended = false;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), IDLE_MS / 2).unref();
  }

  get stats(): PoolStats {
    return { idle: this.#idle.length, used: this.#used.size, waiting: this.#waiting.length };
  }

  get #total(): number {
    return this.#idle.length + this.#used.size + this.#opening;
  }

  /** Opens the minimum and waits for it; rejects with the first failure. */
  async fill(signal?: AbortSignal): Promise<void> {
    const missing = Math.max(0, this.#options.minIdle - this.#total);
    const ending = firstOf(this.#closing.signal, signal);
    await Promise.all(Array.from({ length: missing }, async () => this.adopt(await this.#options.open(ending))));
  }

  /** Adds an open session that is not in use. */
  adopt(session: Session): void {
    session.onLost(() => this.#remove(session));
    this.#put(session);
  }

  /** A session for exclusive use until `release`. */
  acquire(options: Pick<StatementOptions, 'signal'>): Promise<Session> {
    const { signal } = options;
    if (this.#closing.signal.aborted) return Promise.reject(abortError(this.#closing.signal));
    if (signal?.aborted === true) return Promise.reject(abortError(signal));
    if (this.#suspended) return Promise.reject(databaseUnresponsive());
    const item = this.#idle.pop();
    if (item !== undefined) {
      this.#used.add(item.session);
      return Promise.resolve(item.session);
    }
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal | undefined): Promise<Session> {
    const { acquireTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      let unlisten = () => {};
      const done = () => {
        timer.clear();
        unlisten();
      };
      const waiter: Waiter = {
        resolve: (session) => {
          done();
          resolve(session);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      const leave = (error: Error) => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        waiter.reject(error);
      };
      const timer = startTimer(acquireTimeoutMs, () => leave(poolExhausted(acquireTimeoutMs / 1000)));
      this.#waiting.push(waiter);
      unlisten = onAbort(signal, () => signal && leave(abortError(signal)));
      this.#grow();
    });
  }

  /**
   * Called when the database has stopped responding: pending and new calls fail at once instead of each running into its
   * own timeout. With `dropUsed` running statements fail too. All connections are replaced, since a connection that was
   * cut off reports no error.
   */
  suspend({ dropUsed }: { dropUsed: boolean }): void {
    this.#suspended = true;
    for (const waiter of this.#waiting.splice(0)) waiter.reject(databaseUnresponsive());
    for (const { session } of this.#idle.splice(0)) session.destroy();
    if (dropUsed) for (const session of [...this.#used]) session.destroy();
  }

  resume(): void {
    this.#suspended = false;
    this.#keepMinimum();
  }

  /** Gives a session back. While it still ends a canceled statement, the pool does not hand it out. */
  release(session: Session): void {
    if (session.quiet) this.#giveBack(session);
    else session.settle().finally(() => this.#giveBack(session));
  }

  #giveBack(session: Session): void {
    this.#used.delete(session);
    if (session.retired || session.worn) {
      session.destroy();
      this.#grow();
    } else this.#put(session);
    this.#keepMinimum();
    if (this.#used.size === 0) this.#emptied?.();
  }

  #put(session: Session): void {
    if (session.retired) return;
    if (this.#closing.signal.aborted) {
      session.destroy();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#idle.push({ session, since: Date.now() });
    else {
      this.#used.add(session);
      waiter.resolve(session);
    }
  }

  #remove(session: Session): void {
    const index = this.#idle.findIndex((item) => item.session === session);
    if (index >= 0) {
      this.#idle.splice(index, 1);
      // After a protocol error its socket may still be open.
      session.destroy();
    }
    this.#keepMinimum();
  }

  /** Opens one session for each waiter. */
  #grow(): void {
    while (this.#opening < this.#waiting.length && this.#total < this.#options.max) void this.#openOne();
  }

  async #openOne(): Promise<void> {
    this.#opening += 1;
    try {
      const session = await this.#options.open(this.#closing.signal);
      this.#opening -= 1;
      this.#retryMs = FIRST_RETRY_MS;
      this.adopt(session);
    } catch (error) {
      this.#opening -= 1;
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
      this.#waiting.shift()?.reject(error instanceof ServiceError ? error : connectionLost(error));
      this.#grow();
    }
    this.#keepMinimum();
  }

  #keepMinimum(): void {
    const enough = this.#suspended || this.#total >= this.#options.minIdle;
    if (enough || this.#retry !== undefined || this.#closing.signal.aborted) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#total < this.#options.minIdle) void this.#openOne();
    }, this.#retryMs).unref();
  }

  /** Closes sessions that have been idle for IDLE_MS, down to the minimum. */
  #sweep(): void {
    const oldest = this.#idle[0];
    if (oldest === undefined || this.#total <= this.#options.minIdle || Date.now() - oldest.since < IDLE_MS) return;
    this.#idle.shift();
    void oldest.session.close();
    this.#sweep();
  }

  /** Rejects new calls, waits for running ones for at most `graceMs`, then closes every connection. */
  async close(graceMs: number): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ServiceError('UNAVAILABLE', 'The server is shutting down'));
    clearInterval(this.#sweeper);
    clearTimeout(this.#retry);
    for (const waiter of this.#waiting.splice(0)) waiter.reject(abortError(this.#closing.signal));
    const idle = this.#idle.splice(0).map(({ session }) => session.close());
    if (this.#used.size > 0) await this.#drain(graceMs);
    for (const session of this.#used) session.destroy();
    await Promise.all(idle);
  }

  async #drain(graceMs: number): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
      timer = startTimer(graceMs, resolve);
    });
    timer?.clear();
  }
}

/** Every connection that is being opened listens to its signal, so Node's warning about many listeners is switched off. */
function closingController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
