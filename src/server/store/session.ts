import pg from 'pg';
import { endsConnection, endsSession } from './errors.ts';

/** How long a canceled statement may take to end before its connection is dropped. */
const CANCEL_GRACE_MS = 5000;

/** How long `settle` waits for rollbacks and abandoned statements before the connection is dropped. */
const SETTLE_TIMEOUT_MS = 30_000;

/**
 * How many statements a session prepares before another one takes its place. Each search of a large space names the tables
 * of that space, so their number has no other bound, and PostgreSQL keeps the plans of all of them.
 */
const MOST_PREPARED = 500;

/** One connection to the database, with the state that decides whether the pool may hand it to the next caller. */
export class Session {
  readonly #client: pg.Client;
  readonly #stop: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #canceling: Promise<void> | undefined;
  /** A cancel request was sent since the session was last settled. */
  #interrupted = false;
  #retired = false;
  #lostListener: (() => void) | undefined;
  readonly #settings = new Map<string, string>();
  readonly #prepared = new Set<string>();

  /** `client` is connected and in pipeline mode; `stop` sends a cancel request; undefined where the server has none. */
  constructor(client: pg.Client, stop: (() => Promise<void>) | undefined) {
    this.#client = client;
    this.#stop = stop;
    client.on('error', () => this.retire());
    client.on('end', () => this.retire());
  }

  /** Whether this session must not be used again. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Whether its next caller should get a new session instead. */
  get worn(): boolean {
    return this.#prepared.size > MOST_PREPARED;
  }

  /** Whether no statement and no cancel request is pending that could affect the next caller. */
  get quiet(): boolean {
    return this.#running.size === 0 && this.#canceling === undefined;
  }

  /** `listener` is called once, when the connection is closed or must not be used again. */
  onLost(listener: () => void): void {
    this.#lostListener = listener;
  }

  /** Sends one statement without waiting for the ones before it (pipelining). Rejects with pg's own errors. */
  send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (config.name !== undefined) this.#prepared.add(config.name);
    const work = this.#client.query(config);
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, (error: unknown) => {
      forget();
      if (endsSession(error)) this.retire();
    });
    return work;
  }

  /** Runs `send`, and writes all that it sends at once. */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /**
   * Sets what the session does not have set; undefined when it has everything. The settings stay until they are set
   * otherwise. Rejects with pg's own errors, and then none is changed.
   */
  set(settings: Readonly<Record<string, string | number>>): Promise<void> | undefined {
    const missing = Object.entries(settings).filter(([name, value]) => this.#settings.get(name) !== String(value));
    if (missing.length === 0) return undefined;
    const commands = missing.map(([name, value]) => {
      if (!/^[a-z_]+(\.[a-z_]+)?$/.test(name)) throw new RangeError(`not the name of a setting: ${name}`);
      return `set ${name} to ${pg.escapeLiteral(String(value))}`;
    });
    return this.send({ text: commands.join('; ') }).then(() => {
      for (const [name, value] of missing) this.#settings.set(name, String(value));
    });
  }

  /** Cancels the running statements, if the server can: the promises of `send` then reject. Returns at once. */
  interrupt(): void {
    const stop = this.#stop;
    if (stop === undefined || this.#running.size === 0 || this.#canceling !== undefined) return;
    this.#interrupted = true;
    this.#canceling = this.#cancel(stop).finally(() => {
      this.#canceling = undefined;
    });
  }

  async #cancel(stop: () => Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.destroy(), CANCEL_GRACE_MS);
    try {
      await stop();
    } catch {
      // The cancel request failed, so only closing the connection is left; the server then ends the statement.
      this.destroy();
    }
    await Promise.allSettled(this.#running);
    clearTimeout(timer);
  }

  /**
   * Waits until the session can be used by the next caller. A cancel request is a signal to a process, not to a statement:
   * a late one would hit whatever runs next. A rollback, which is harmless at any point, is therefore run to absorb it.
   */
  async settle(): Promise<void> {
    // Without cancel requests (embedded) dropping the connection would not end a statement sooner, so there is no bound.
    const timer = this.#stop && setTimeout(() => this.destroy(), SETTLE_TIMEOUT_MS);
    // In a loop: an abandoned statement may still be canceled by its own timeout while this waits.
    while (!this.quiet) {
      await this.#canceling;
      await Promise.allSettled(this.#running);
    }
    if (this.#interrupted && !this.#retired) await this.send({ text: 'rollback' }).catch(() => undefined);
    this.#interrupted = false;
    clearTimeout(timer);
  }

  /** Marks the session as unusable for further calls; its running statements may finish. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#lostListener?.();
  }

  /** Drops the connection at once; running statements reject. */
  destroy(): void {
    this.retire();
    this.#client.connection.stream.destroy();
  }

  /** Closes the connection with a Terminate message; bounded, since an unreachable peer never answers. */
  async close(): Promise<void> {
    this.retire();
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), CANCEL_GRACE_MS);
    await this.#client.end().catch(() => undefined);
    clearTimeout(timer);
  }
}

/** Whether a statement failed because its connection broke, and not because the server refused it. */
export function isConnectionError(error: unknown, session: Session): boolean {
  return error instanceof pg.DatabaseError ? endsConnection(error) : session.retired;
}
