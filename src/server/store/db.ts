/**
 * The executor that every store file runs its SQL on. One code path serves the external PostgreSQL and the embedded
 * engine: what differs between them is a capability, asked for here and nowhere else.
 *
 * Values going in: whatever `pg` takes. A Buffer travels in binary format (see binary.ts); a moment is a `Date`.
 * Values coming out: int8 and counts are numbers (a bigint only beyond 2^53), timestamps are epoch milliseconds,
 * json and jsonb are parsed, uuid and numeric are text, halfvec and vector are arrays of numbers.
 */

/** A named piece of SQL. The name is that of its prepared form too, unless `prepare` is false. */
export interface Statement {
  /** Unique for this text within the process; at most 63 bytes. */
  readonly name: string;
  /** One command with parameters `$1 …`. */
  readonly text: string;
  /** False for text that is composed per call (filters): preparing each would fill the session with plans. */
  readonly prepare?: false;
}

export interface CallOptions {
  /** An abort rejects at once and cancels the running statement on the server. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Bound of the call in milliseconds, waiting for a connection not included; unless told 10 seconds for requests, 60 in
   * the background.
   */
  readonly timeoutMs?: number | undefined;
}

/** All methods throw ServiceError; errors.ts says which code stands for which failure. */
export interface Queryable {
  /** The rows of one command. */
  query<Row extends object>(statement: Statement, values?: readonly unknown[], options?: CallOptions): Promise<Row[]>;
  /** The number of rows that one command changed. */
  execute(statement: Statement, values?: readonly unknown[], options?: CallOptions): Promise<number>;
  /** Several commands without parameters, for schema work. Outside a transaction they form one of their own. */
  script(sql: string, options?: CallOptions): Promise<void>;
}

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

export interface TxOptions extends CallOptions {
  readonly isolation?: Isolation | undefined;
  readonly readOnly?: boolean | undefined;
}

export interface Pool extends Queryable {
  /**
   * Runs `fn` in a transaction: commits when it returns, rolls back when it throws or the options end it. On the
   * embedded engine the one session is held meanwhile: never call the outside, nor the pool itself, from `fn`.
   * A commit that was sent and not answered is INTERNAL: nobody knows whether it happened.
   */
  withTx<T>(fn: (tx: Queryable) => Promise<T>, options?: TxOptions): Promise<T>;
  /**
   * Runs `fn` on one connection outside a transaction, for what belongs to a session: advisory locks, index builds.
   * When `fn` fails or its bounds end it, the connection is closed and takes its locks and settings with it.
   */
  withSession<T>(fn: (session: Queryable) => Promise<T>, options?: CallOptions): Promise<T>;
  /** Reads in one flight: begin read only, `set local` of each setting, the statement, commit. */
  pipelined<Row extends object>(
    settings: Readonly<Record<string, string | number>>,
    statement: Statement,
    values?: readonly unknown[],
    options?: CallOptions,
  ): Promise<Row[]>;
}

/** What the database at hand can do; ask here instead of asking which engine it is. */
export interface Capabilities {
  readonly embedded: boolean;
  /** `one`: both pools are the same single session, and whoever holds it holds up everyone. */
  readonly sessions: 'one' | 'many';
  /** `create index concurrently` beside running traffic. */
  readonly concurrentIndexBuild: boolean;
  /** Parallel HNSW builds overflow before pgvector 0.8.2 (CVE-2026-3172): build serially there. */
  readonly parallelIndexBuild: boolean;
  /** A running statement can be stopped. Where it cannot, the caller is let go and the session stays busy. */
  readonly cancel: boolean;
  /** Chunks up to which a space is scanned exactly and needs no index. */
  readonly exactScanLimit: number;
}

export type PoolName = 'main' | 'background';

export interface PoolStats {
  readonly idle: number;
  readonly used: number;
  readonly waiting: number;
}

/** Facts that the start-up probe found. */
export interface ServerFacts {
  /** e.g. `17.5`. */
  readonly version: string;
  /** Of the vector extension, e.g. `0.8.1`. */
  readonly vectorVersion: string;
}

/** Lets a bounded number of searches run at once. */
export interface Gate {
  /**
   * Waits for a free place, first come first served, within the bounds of the call, and gives `fn` what is left of them.
   * Throws DEADLINE_EXCEEDED when that is nothing.
   */
  run<T>(fn: (left: CallOptions) => Promise<T>, options?: CallOptions): Promise<T>;
}

export interface Db {
  readonly capabilities: Capabilities;
  readonly server: ServerFacts;
  /** Sentences for the log about a server that works and should be better. */
  readonly warnings: readonly string[];
  /** Requests. */
  readonly main: Pool;
  /** Jobs and maintenance, so that they never take the connections of requests. */
  readonly background: Pool;
  /** Two searches at once beat eight by 19 to 40 % on two cores: queue in front of PostgreSQL, not in it. */
  readonly vectorGate: Gate;
  /** Type number of halfvec in this database, for `halfvecArray`; looked up once, after the migration. */
  halfvecOid(): Promise<number>;
  stats(): Readonly<Record<PoolName, PoolStats>>;
  /** Waits for running calls for at most `graceMs` (5 seconds unless told), then closes every connection. */
  close(graceMs?: number): Promise<void>;
}

/** Called after every statement, for the metrics. Must not throw. */
export type QueryObserver = (name: string, seconds: number, ok: boolean, pool: PoolName) => void;
