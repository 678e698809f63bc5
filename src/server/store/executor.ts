import pg from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import type { Guard } from '../context.ts';
import type { Pool, Queryable, Statement, StatementOptions, TxOptions } from './db.ts';
import { abortError, commitInDoubt, connectionLost, translateError } from './errors.ts';
import { isConnectionError, type Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';
import { withinBounds } from './waiting.ts';

const WRITES = /\b(insert|update|delete|merge|truncate|create|drop|alter|copy|call|do|reindex|refresh)\b/i;

/** The statement in pg's form: named ones are prepared once per session. */
function configOf(statement: Statement, values: readonly unknown[]): pg.QueryConfig {
  const config = { text: statement.text, values: [...values] };
  return statement.prepare === false ? config : { ...config, name: statement.name };
}

/** Called after every statement; `seconds` from sending it to its last row. */
type StatementObserver = (name: string, seconds: number, ok: boolean) => void;

interface SessionQueryableOptions {
  readonly observe: StatementObserver;
  /** Each statement commits by itself, so the outcome of an unanswered write is unknown. */
  readonly autocommit: boolean;
  /** Bound of one statement unless the call says otherwise, in milliseconds. */
  readonly statementTimeoutMs: number;
}

/** Runs statements on one session until `end` is called. */
class SessionQueryable implements Queryable {
  readonly #session: Session;
  readonly #options: SessionQueryableOptions;
  #ended = false;

  constructor(session: Session, options: SessionQueryableOptions) {
    this.#session = session;
    this.#options = options;
  }

  async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
    options: StatementOptions = {},
  ) {
    const { guards = [] } = options;
    const result = await (guards.length === 0
      ? this.#run(statement.name, configOf(statement, values), options)
      : this.#guarded(statement, values, { ...options, guards }));
    return result.rows as Row[];
  }

  /** All at once, each committing by itself, so that the guards are answered even if the read fails. */
  async #guarded(
    statement: Statement,
    values: readonly unknown[],
    options: StatementOptions & { guards: readonly Guard[] },
  ): Promise<pg.QueryResult> {
    const { guards } = options;
    this.#requireOpen(statement.name, options);
    const sent = this.#session.together(() => [
      this.#send(statement.name, configOf(statement, values)),
      ...guards.map((guard) => this.#send(guard.statement.name, configOf(guard.statement, guard.values))),
    ]);
    const [outcome, ...standings] = await this.#bounded(Promise.allSettled(sent), options);
    for (const [index, standing] of standings.entries()) {
      if (standing.status === 'fulfilled') guards[index]?.check(standing.value.rows);
    }
    for (const one of [outcome, ...standings]) if (one?.status === 'rejected') throw one.reason;
    if (outcome?.status !== 'fulfilled') throw new Error('a read has no outcome');
    return outcome.value;
  }

  async execute(
    statement: Statement,
    values: readonly unknown[] = [],
    options: StatementOptions = {},
  ): Promise<number> {
    const result = await this.#run(statement.name, configOf(statement, values), options);
    return result.rowCount ?? 0;
  }

  async script(sql: string, options: StatementOptions = {}): Promise<void> {
    await this.#run('script', { text: sql }, options);
  }

  /** Refuses statements from now on: the transaction has ended, or the session was given back. */
  end(): void {
    this.#ended = true;
  }

  async #run(name: string, config: pg.QueryConfig, options: StatementOptions): Promise<pg.QueryResult> {
    this.#requireOpen(name, options);
    return await this.#bounded(this.#send(name, config), options);
  }

  /** Throws when no statement may be sent. */
  #requireOpen(name: string, { signal }: StatementOptions): void {
    if (this.#ended)
      throw new ServiceError('INTERNAL', `The statement ${name} was sent after its transaction had ended.`);
    if (signal?.aborted === true) throw abortError(signal);
  }

  #bounded<T>(work: Promise<T>, options: StatementOptions): Promise<T> {
    const limits = { timeoutMs: this.#options.statementTimeoutMs, ...options };
    return withinBounds(work, limits, () => this.#session.interrupt());
  }

  async #send(name: string, config: pg.QueryConfig): Promise<pg.QueryResult> {
    const started = performance.now();
    let ok = false;
    try {
      const result = await this.#session.send(config);
      ok = true;
      return result;
    } catch (error) {
      throw this.#translate(error, config.text);
    } finally {
      this.#options.observe(name, (performance.now() - started) / 1000, ok);
    }
  }

  #translate(error: unknown, text: string): ServiceError {
    if (error instanceof ServiceError || !isConnectionError(error, this.#session)) return translateError(error);
    return this.#options.autocommit && WRITES.test(text) ? commitInDoubt(error) : connectionLost(error);
  }
}

const ignore = () => undefined;

function beginOf(options: TxOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  return `begin${isolation}${options.readOnly === true ? ' read only' : ''}`;
}

/** In milliseconds. */
export interface ExecutorBounds {
  /** Of one statement unless the call says otherwise. */
  readonly statementTimeoutMs: number;
  /** A commit is never canceled; when it takes longer than this, its outcome is unknown. */
  readonly commitTimeoutMs: number;
}

/** Runs statements and transactions on the sessions of one pool. */
export class PoolExecutor implements Pool {
  readonly #sessions: SessionPool;
  readonly #observe: StatementObserver;
  readonly #bounds: ExecutorBounds;

  constructor(sessions: SessionPool, observe: StatementObserver, bounds: ExecutorBounds) {
    this.#sessions = sessions;
    this.#observe = observe;
    this.#bounds = bounds;
  }

  query<Row extends object>(statement: Statement, values: readonly unknown[] = [], options: StatementOptions = {}) {
    return this.#borrow(options, true, (session) => session.query<Row>(statement, values, options));
  }

  execute(statement: Statement, values: readonly unknown[] = [], options: StatementOptions = {}): Promise<number> {
    return this.#borrow(options, true, (session) => session.execute(statement, values, options));
  }

  script(sql: string, options: StatementOptions = {}): Promise<void> {
    return this.#borrow(options, true, (session) => session.script(sql, options));
  }

  withSession<T>(fn: (session: Queryable) => Promise<T>, options: StatementOptions = {}): Promise<T> {
    return this.#borrow(options, true, async (queryable, session) => {
      try {
        return await this.#limited(fn, queryable, session, options);
      } catch (error) {
        // `fn` may have left locks and settings: after its timeout or abort it can no longer undo them.
        session.retire();
        throw error;
      }
    });
  }

  withTx<T>(fn: (tx: Queryable) => Promise<T>, options: TxOptions = {}): Promise<T> {
    return this.#borrow(options, false, async (tx, session) => {
      // Not awaited: with pipelining `begin` travels with the first statement, and fails it when it fails.
      const begun = session.send({ text: beginOf(options) });
      begun.catch(ignore);
      try {
        const result = await this.#limited(fn, tx, session, options);
        tx.end();
        await begun.catch((error: unknown) => {
          throw isConnectionError(error, session) ? connectionLost(error) : translateError(error);
        });
        await this.#commit(session);
        return result;
      } catch (error) {
        tx.end();
        // Not awaited: the pool holds the session back until it is quiet.
        session.send({ text: 'rollback' }).catch(ignore);
        throw error;
      }
    });
  }

  async pipelined<Row extends object>(
    settings: Readonly<Record<string, string | number>>,
    statement: Statement,
    values: readonly unknown[] = [],
    options: StatementOptions = {},
  ): Promise<Row[]> {
    return this.#borrow(options, true, async (queryable, session) => {
      let refused: unknown;
      const read = session.together(() => {
        session.set(settings)?.catch((error: unknown) => {
          refused = error;
        });
        return queryable.query<Row>(statement, values, options);
      });
      const [outcome] = await Promise.allSettled([read]);
      // The settings are answered before the read, which has run without them.
      if (refused instanceof pg.DatabaseError) throw translateError(refused);
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /** Runs `fn` within the timeout and signal of the call. After either, its running statements are canceled, new ones refused. */
  #limited<T>(
    fn: (q: Queryable) => Promise<T>,
    queryable: SessionQueryable,
    session: Session,
    options: StatementOptions,
  ) {
    return withinBounds(fn(queryable), options, () => {
      queryable.end();
      session.interrupt();
    });
  }

  async #borrow<T>(
    options: StatementOptions,
    autocommit: boolean,
    fn: (queryable: SessionQueryable, session: Session) => Promise<T>,
  ): Promise<T> {
    const session = await this.#sessions.acquire(options);
    const { statementTimeoutMs } = this.#bounds;
    const queryable = new SessionQueryable(session, { autocommit, observe: this.#observe, statementTimeoutMs });
    try {
      return await fn(queryable, session);
    } finally {
      queryable.end();
      this.#sessions.release(session);
    }
  }

  async #commit(session: Session): Promise<void> {
    const inDoubt = () => session.destroy();
    let command: string;
    try {
      const sent = session.send({ text: 'commit' });
      command = (await withinBounds(sent, { timeoutMs: this.#bounds.commitTimeoutMs }, inDoubt)).command;
    } catch (error) {
      const unanswered = error instanceof ServiceError || isConnectionError(error, session);
      throw unanswered ? commitInDoubt(error) : translateError(error);
    }
    // A statement failed and `fn` ignored that: the server answers such a commit with a rollback.
    if (command !== 'COMMIT') throw new ServiceError('INTERNAL', 'The database rolled the transaction back');
  }
}
