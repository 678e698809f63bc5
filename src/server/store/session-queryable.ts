import type pg from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import type { CallOptions, Queryable, Statement } from './db.ts';
import { abortError, commitInDoubt, connectionLost, translateError } from './errors.ts';
import { isConnectionError, type Session } from './session.ts';
import { bounded } from './waiting.ts';

const WRITES = /\b(insert|update|delete|merge|truncate|create|drop|alter|copy|call|do|reindex|refresh)\b/i;

/** What a statement looks like to pg: named ones are prepared once a session. */
function configOf(statement: Statement, values: readonly unknown[]): pg.QueryConfig {
  const config = { text: statement.text, values: [...values] };
  return statement.prepare === false ? config : { ...config, name: statement.name };
}

/** Called after every statement; `seconds` from sending it to its last row. */
export type StatementObserver = (name: string, seconds: number, ok: boolean) => void;

export interface SessionQueryableOptions {
  readonly observe: StatementObserver;
  /** Each statement commits by itself: then a write that is not answered is in doubt. */
  readonly autocommit: boolean;
  /** Bound of one statement unless the call says otherwise, in milliseconds. */
  readonly statementTimeoutMs: number;
}

/** Runs statements on one session until `end` is called. */
export class SessionQueryable implements Queryable {
  readonly #session: Session;
  readonly #options: SessionQueryableOptions;
  #ended = false;

  constructor(session: Session, options: SessionQueryableOptions) {
    this.#session = session;
    this.#options = options;
  }

  async query<Row extends object>(statement: Statement, values: readonly unknown[] = [], options: CallOptions = {}) {
    const result = await this.#run(statement.name, configOf(statement, values), options);
    return result.rows as Row[];
  }

  async execute(statement: Statement, values: readonly unknown[] = [], options: CallOptions = {}): Promise<number> {
    const result = await this.#run(statement.name, configOf(statement, values), options);
    return result.rowCount ?? 0;
  }

  async script(sql: string, options: CallOptions = {}): Promise<void> {
    await this.#run('script', { text: sql }, options);
  }

  /** From now on statements are refused: the transaction, or the loan of the session, is over. */
  end(): void {
    this.#ended = true;
  }

  async #run(name: string, config: pg.QueryConfig, options: CallOptions): Promise<pg.QueryResult> {
    if (this.#ended) throw new ServiceError('INTERNAL', `The statement ${name} came after its transaction had ended.`);
    if (options.signal?.aborted === true) throw abortError(options.signal);
    const limits = { timeoutMs: this.#options.statementTimeoutMs, ...options };
    const started = performance.now();
    let ok = false;
    try {
      const result = await bounded(this.#session.send(config), limits, () => this.#session.interrupt());
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
