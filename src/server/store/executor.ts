import pg from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import type { CallOptions, Pool, Queryable, Statement, TxOptions } from './db.ts';
import { commitInDoubt, connectionLost, translateError } from './errors.ts';
import { isConnectionError, type Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';
import { SessionQueryable, type StatementObserver } from './session-queryable.ts';
import { bounded } from './waiting.ts';

const ignore = () => undefined;

function beginOf(options: TxOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  return `begin${isolation}${options.readOnly === true ? ' read only' : ''}`;
}

function setLocal(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (!/^[a-z_]+(\.[a-z_]+)?$/.test(name)) throw new RangeError(`not the name of a setting: ${name}`);
      return `; set local ${name} to ${pg.escapeLiteral(String(value))}`;
    })
    .join('');
}

/** In milliseconds. */
export interface ExecutorBounds {
  /** Of one statement unless the call says otherwise. */
  readonly statementTimeoutMs: number;
  /** A commit is never cancelled; one that takes longer than this is in doubt. */
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

  query<Row extends object>(statement: Statement, values: readonly unknown[] = [], options: CallOptions = {}) {
    return this.#borrow(options, true, (session) => session.query<Row>(statement, values, options));
  }

  execute(statement: Statement, values: readonly unknown[] = [], options: CallOptions = {}): Promise<number> {
    return this.#borrow(options, true, (session) => session.execute(statement, values, options));
  }

  script(sql: string, options: CallOptions = {}): Promise<void> {
    return this.#borrow(options, true, (session) => session.script(sql, options));
  }

  withSession<T>(fn: (session: Queryable) => Promise<T>, options: CallOptions = {}): Promise<T> {
    return this.#borrow(options, true, async (queryable, session) => {
      try {
        return await this.#limited(fn, queryable, session, options);
      } catch (error) {
        // Locks and settings that `fn` took may still be there: from the end of its bounds on it could undo nothing.
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
        // Not awaited: the pool keeps the session until it is quiet again.
        session.send({ text: 'rollback' }).catch(ignore);
        throw error;
      }
    });
  }

  async pipelined<Row extends object>(
    settings: Readonly<Record<string, string | number>>,
    statement: Statement,
    values: readonly unknown[] = [],
    options: CallOptions = {},
  ): Promise<Row[]> {
    const begin = `begin read only${setLocal(settings)}`;
    return this.#borrow(options, false, async (tx, session) => {
      let refused: pg.DatabaseError | undefined;
      session.send({ text: begin }).catch((error: unknown) => {
        if (error instanceof pg.DatabaseError) refused = error;
      });
      const read = tx.query<Row>(statement, values, options);
      // Sent before anyone knows how the read ended; after a failure this commit rolls back, which suits a read.
      session.send({ text: 'commit' }).catch(ignore);
      try {
        return await read;
      } catch (error) {
        // A setting that the server refuses fails the read with "transaction is aborted": tell the reason instead.
        throw refused === undefined ? error : translateError(refused);
      }
    });
  }

  /** Runs `fn` under the bounds of the call; when they end it, its statements are stopped and refused. */
  #limited<T>(fn: (q: Queryable) => Promise<T>, queryable: SessionQueryable, session: Session, options: CallOptions) {
    return bounded(fn(queryable), options, () => {
      queryable.end();
      session.interrupt();
    });
  }

  async #borrow<T>(
    options: CallOptions,
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
      command = (await bounded(sent, { timeoutMs: this.#bounds.commitTimeoutMs }, inDoubt)).command;
    } catch (error) {
      const unanswered = error instanceof ServiceError || isConnectionError(error, session);
      throw unanswered ? commitInDoubt(error) : translateError(error);
    }
    // A statement failed and `fn` went on: the server answers such a commit with a rollback.
    if (command !== 'COMMIT') throw new ServiceError('INTERNAL', 'The database rolled the transaction back');
  }
}
