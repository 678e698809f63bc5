import pg from 'pg';
import { endsConnection, endsSession } from './errors.ts';

/** How long a cancelled statement may take to end before its connection is dropped. */
const CANCEL_GRACE_MS = 5000;

/** How long rollbacks and statements left behind may take before the connection is dropped. */
const SETTLE_TIMEOUT_MS = 30_000;

/** One connection to the database, and what has to be known about it before somebody else may use it. */
export class Session {
  readonly #client: pg.Client;
  readonly #stop: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #cancelling: Promise<void> | undefined;
  /** A cancel request went out since the session was last settled. */
  #interrupted = false;
  #spent = false;
  #lostListener: (() => void) | undefined;

  /** `client` is connected and in pipeline mode; `stop` asks the server to stop what it runs, where that is possible. */
  constructor(client: pg.Client, stop: (() => Promise<void>) | undefined) {
    this.#client = client;
    this.#stop = stop;
    client.on('error', () => this.retire());
    client.on('end', () => this.retire());
  }

  /** Whether this session must not be used again. */
  get spent(): boolean {
    return this.#spent;
  }

  /** Whether nothing is under way that could hit the next user. */
  get quiet(): boolean {
    return this.#running.size === 0 && this.#cancelling === undefined;
  }

  /** `listener` is called once, when the connection is gone or must not be used again. */
  onLost(listener: () => void): void {
    this.#lostListener = listener;
  }

  /** Sends one statement, without waiting for those before it. Rejects with pg's own errors. */
  send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const work = this.#client.query(config);
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, (error: unknown) => {
      forget();
      if (endsSession(error)) this.retire();
    });
    return work;
  }

  /** Stops what is running, if the server can: the promises of `send` then reject. Returns at once. */
  interrupt(): void {
    const stop = this.#stop;
    if (stop === undefined || this.#running.size === 0 || this.#cancelling !== undefined) return;
    this.#interrupted = true;
    this.#cancelling = this.#cancel(stop).finally(() => {
      this.#cancelling = undefined;
    });
  }

  async #cancel(stop: () => Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.destroy(), CANCEL_GRACE_MS);
    try {
      await stop();
    } catch {
      // Without a way to stop the statement only the connection itself can go; the server notices and ends it.
      this.destroy();
    }
    await Promise.allSettled(this.#running);
    clearTimeout(timer);
  }

  /**
   * Waits until the session is fit for its next user. A cancel request is a signal to a process, not to a statement:
   * a late one would hit whatever runs next, so a rollback, harmless anywhere, is run after one to take it.
   */
  async settle(): Promise<void> {
    // What cannot be cancelled ends when it ends; dropping its connection would not end it sooner.
    const timer = this.#stop && setTimeout(() => this.destroy(), SETTLE_TIMEOUT_MS);
    // Again and again: a statement that nobody waits for any more may still be cancelled by its own bound.
    while (!this.quiet) {
      await this.#cancelling;
      await Promise.allSettled(this.#running);
    }
    if (this.#interrupted && !this.#spent) await this.send({ text: 'rollback' }).catch(() => undefined);
    this.#interrupted = false;
    clearTimeout(timer);
  }

  /** Nobody is to use this session again; what runs on it may end. */
  retire(): void {
    if (this.#spent) return;
    this.#spent = true;
    this.#lostListener?.();
  }

  /** Drops the connection at once; running statements reject. */
  destroy(): void {
    this.retire();
    this.#client.connection.stream.destroy();
  }

  /** Says good-bye to the server; bounded, since a peer that is gone never answers. */
  async close(): Promise<void> {
    this.retire();
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), CANCEL_GRACE_MS);
    await this.#client.end().catch(() => undefined);
    clearTimeout(timer);
  }
}

/** Whether a failed statement failed because its connection did, and not because the server refused it. */
export function isConnectionError(error: unknown, session: Session): boolean {
  return error instanceof pg.DatabaseError ? endsConnection(error) : session.spent;
}
