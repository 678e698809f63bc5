/**
 * The interface on which every store file runs its SQL. One code path serves the external PostgreSQL and the embedded
 * engine: where they differ, code asks `Capabilities` and nothing else.
 *
 * Parameters: all that `pg` accepts. A Buffer travels in binary format (see binary.ts); a time is a `Date`.
 * Results: int8 and counts are numbers (a bigint only beyond 2^53), timestamps are epoch milliseconds,
 * json and jsonb are parsed, uuid and numeric are text, halfvec and vector are arrays of numbers.
 */

import type { Guard } from '../context.ts';

/** A named SQL command. The name is also that of its prepared statement, unless `prepare` is false. */
export interface Statement {
  /** Unique for this text within the process; at most 63 bytes. */
  readonly name: string;
  /** One command with parameters `$1 …`. */
  readonly text: string;
  /** False for text that is composed per call (filters): preparing each would fill the session with plans. */
  readonly prepare?: false;
}

export interface StatementOptions {
  /** An abort rejects at once and cancels the running statement on the server, where the engine can cancel. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout of the call in milliseconds, not including the wait for a connection; by default 10 seconds for requests, 60
   * seconds in the background.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Sent behind a query in the same write, each as a statement of its own. They are judged, in this order, before the outcome
   * of the query, which may have failed because of what they find. Only reads take them.
   */
  readonly guards?: readonly Guard[] | undefined;
}

/** All methods throw ServiceError; errors.ts says which code stands for which failure. */
export interface Queryable {
  /** The rows of one command. */
  query<Row extends object>(
    statement: Statement,
    values?: readonly unknown[],
    options?: StatementOptions,
  ): Promise<Row[]>;
  /** The number of rows that one command changed. */
  execute(statement: Statement, values?: readonly unknown[], options?: StatementOptions): Promise<number>;
  /** Several commands without parameters, for schema work. Outside a transaction they form one of their own. */
  script(sql: string, options?: StatementOptions): Promise<void>;
}

type Isolation = 'read committed' | 'repeatable read' | 'serializable';

export interface TxOptions extends StatementOptions {
  readonly isolation?: Isolation | undefined;
  readonly readOnly?: boolean | undefined;
}

export interface Pool extends Queryable {
  /**
   * Runs `fn` in a transaction: commits when it returns, rolls back when it throws, times out or is aborted. On the
   * embedded engine it holds the only session meanwhile: `fn` must make no network call and must not use the pool itself.
   * A commit that was sent and not answered is INTERNAL, since its outcome is unknown.
   */
  withTx<T>(fn: (tx: Queryable) => Promise<T>, options?: TxOptions): Promise<T>;
  /**
   * Runs `fn` on one connection outside a transaction, for session-level work: advisory locks, index builds. When `fn`
   * fails, times out or is aborted, the connection is closed, which releases its locks and settings.
   */
  withSession<T>(fn: (session: Queryable) => Promise<T>, options?: StatementOptions): Promise<T>;
  /** Reads in one round trip, with settings of the session; those that it has already are not sent again. */
  pipelined<Row extends object>(
    settings: Readonly<Record<string, string | number>>,
    statement: Statement,
    values?: readonly unknown[],
    options?: StatementOptions,
  ): Promise<Row[]>;
}

/** What this database can do; code asks for a capability instead of for the engine. */
export interface Capabilities {
  readonly embedded: boolean;
  /** `one`: both pools share a single session, so each call blocks all others, and running statements cannot be canceled. */
  readonly sessions: 'one' | 'many';
  /** Parallel HNSW builds overflow before pgvector 0.8.2 (CVE-2026-3172): build serially there. */
  readonly parallelIndexBuild: boolean;
  /** Up to this many chunks a space is scanned exactly and needs no index. */
  readonly exactScanLimit: number;
}

export type PoolName = 'main' | 'background';

export interface PoolStats {
  readonly idle: number;
  readonly used: number;
  readonly waiting: number;
}

/** What the start-up probe found out about the database server. */
export interface ProbedServer {
  /** e.g. `17.5`. */
  readonly version: string;
  /** Of the vector extension, e.g. `0.8.1`. */
  readonly vectorVersion: string;
}

/** Limits how many calls run at once. */
export interface CallSemaphore {
  /**
   * Waits for a permit, first come first served, within the timeout of the call, and passes the remaining time to `fn`.
   * Throws DEADLINE_EXCEEDED when no time is left.
   */
  run<T>(fn: (left: StatementOptions) => Promise<T>, options?: StatementOptions): Promise<T>;
}

export interface Db {
  readonly capabilities: Capabilities;
  readonly server: ProbedServer;
  /** Sentences for the log about a server that works but should be upgraded. */
  readonly warnings: readonly string[];
  /** Requests. */
  readonly main: Pool;
  /** Jobs and maintenance, so that they never take the connections of requests. */
  readonly background: Pool;
  /** Limits concurrent vector searches: on two cores, two at once are 19 to 40 % faster than eight. */
  readonly searchSemaphore: CallSemaphore;
  /** Type number of halfvec in this database, for `halfvecArray`; looked up once, after the migration. */
  halfvecOid(): Promise<number>;
  stats(): Readonly<Record<PoolName, PoolStats>>;
  /** Waits for running calls for at most `graceMs` (5 seconds by default), then closes every connection. */
  close(graceMs?: number): Promise<void>;
}

/** Called after every statement, for the metrics. Must not throw. */
export type QueryObserver = (name: string, seconds: number, ok: boolean, pool: PoolName) => void;
