import { availableParallelism } from 'node:os';
import type { DatabaseTarget } from '../settings/database-url.ts';
import { type Connector, createConnector } from './connect.ts';
import type { Capabilities, Db, PoolName, ProbedServer, QueryObserver } from './db.ts';
import { abortError } from './errors.ts';
import { type ExecutorBounds, PoolExecutor } from './executor.ts';
import { fatalReason } from './fatal-reason.ts';
import { Heartbeat } from './heartbeat.ts';
import { type DatabaseRole, parallelBuildIsSafe, probeServer, serverWarnings } from './probe.ts';
import type { Session } from './session.ts';
import { SessionPool } from './session-pool.ts';
import { TypeParsers } from './type-parsers.ts';
import { createCallSemaphore, pause, withinBounds } from './waiting.ts';

const ACQUIRE_TIMEOUT_MS = 10_000;
/** Of the first statements on a new database; creating the extension may have to wait for another server doing the same. */
const PROBE_TIMEOUT_MS = 60_000;
const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 5000;
const CLOSE_GRACE_MS = 5000;

/** Above this an exact scan of one space costs more than its own index (0.3 ms per 1,000 rows). */
const EXACT_SCAN_LIMIT = 5000;
/** The embedded engine cannot build an index concurrently with queries, so it scans larger spaces exactly. */
const EMBEDDED_EXACT_SCAN_LIMIT = 50_000;

interface PoolSize {
  readonly minIdle: number;
  readonly max: number;
}

export interface OpenOptions {
  readonly target: DatabaseTarget;
  /** The target is the embedded engine's socket; pool sizes have no effect then. */
  readonly embedded?: boolean;
  /** Pool for requests; 2 to 50 connections by default. */
  readonly main?: PoolSize;
  /** Pool for jobs; 0 to 20 connections by default. */
  readonly background?: PoolSize;
  /** Timeout of the wait for a free connection; 10 seconds by default. */
  readonly acquireTimeoutMs?: number;
  readonly role?: DatabaseRole;
  readonly onQuery?: QueryObserver | undefined;
  /** Called when the database has not responded for about ten seconds, and when it responds again. */
  readonly onAnswering?: ((answers: boolean) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

function capabilitiesOf(facts: ProbedServer, embedded: boolean): Capabilities {
  return {
    embedded,
    sessions: embedded ? 'one' : 'many',
    parallelIndexBuild: !embedded && parallelBuildIsSafe(facts.vectorVersion),
    exactScanLimit: embedded ? EMBEDDED_EXACT_SCAN_LIMIT : EXACT_SCAN_LIMIT,
  };
}

function openPools(options: OpenOptions, connector: Connector) {
  const acquireTimeoutMs = options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS;
  const pool = (size: PoolSize) => new SessionPool({ ...size, acquireTimeoutMs, open: connector.open });
  if (options.embedded === true) {
    const only = pool({ minIdle: 1, max: 1 });
    return { main: only, background: only };
  }
  return {
    main: pool(options.main ?? { minIdle: 2, max: 50 }),
    background: pool(options.background ?? { minIdle: 0, max: 20 }),
  };
}

async function fill(pools: ReturnType<typeof openPools>, probed: Session, signal: AbortSignal | undefined) {
  pools.main.adopt(probed);
  try {
    await Promise.all([pools.main.fill(signal), pools.background.fill(signal)]);
  } catch (error) {
    await Promise.all([pools.main.close(0), pools.background.close(0)]);
    throw error;
  }
}

async function probe(session: Session, { role = 'primary', signal }: OpenOptions): Promise<ProbedServer> {
  const limits = { signal, timeoutMs: PROBE_TIMEOUT_MS };
  try {
    return await withinBounds(probeServer(session, role), limits, () => session.destroy());
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/**
 * Connects, probes the server and opens the minimum of both pools. Throws FatalDatabaseError for failures that only a
 * change of configuration fixes, and the driver's error for transient ones: see `connectWithRetry`.
 */
export async function openDatabase(options: OpenOptions): Promise<Db> {
  const { target, embedded = false, signal } = options;
  const types = new TypeParsers();
  const connector = createConnector({ target, types, embedded });
  try {
    const probed = await connector.open(signal);
    const server = await probe(probed, options);
    const pools = openPools(options, connector);
    await fill(pools, probed, signal);
    return assemble({ options, connector, pools, types, server });
  } catch (error) {
    throw fatalReason(error, target) ?? error;
  }
}

/**
 * Requests get short timeouts because a client is waiting; background work may queue behind other statements. Calls that
 * are known to take longer pass a timeout of their own.
 */
const BOUNDS: Readonly<Record<PoolName, ExecutorBounds>> = {
  main: { statementTimeoutMs: 10_000, commitTimeoutMs: 10_000 },
  background: { statementTimeoutMs: 60_000, commitTimeoutMs: 30_000 },
};

interface Parts {
  readonly options: OpenOptions;
  readonly connector: Connector;
  readonly pools: ReturnType<typeof openPools>;
  readonly types: TypeParsers;
  readonly server: ProbedServer;
}

/** The embedded engine runs in this process and has one session, so it gets no heartbeat. */
function watched({ options, connector, pools }: Parts): Heartbeat | undefined {
  if (options.embedded === true) return undefined;
  const heartbeat = new Heartbeat({
    open: connector.open,
    onChange(answers) {
      for (const pool of Object.values(pools)) {
        if (answers) pool.resume();
        // An index build in the background may be hours of work and may still be running.
        else pool.suspend({ dropUsed: pool === pools.main });
      }
      options.onAnswering?.(answers);
    },
  });
  heartbeat.start();
  return heartbeat;
}

function assemble(parts: Parts): Db {
  const { options, pools, types, server } = parts;
  const observe = options.onQuery ?? (() => undefined);
  const executor = (pool: PoolName) =>
    new PoolExecutor(pools[pool], (name, seconds, ok) => observe(name, seconds, ok, pool), BOUNDS[pool]);
  const main = executor('main');
  const heartbeat = watched(parts);
  return {
    capabilities: capabilitiesOf(server, options.embedded === true),
    server,
    // The embedded engine has no parallel builds, so the warning about them does not apply.
    warnings: options.embedded === true ? [] : serverWarnings(server.vectorVersion),
    main,
    background: executor('background'),
    searchSemaphore: createCallSemaphore(Math.max(2, availableParallelism())),
    halfvecOid: () =>
      types.halfvecOid(async (text, values) => ({ rows: await main.query({ name: 'vector_types', text }, values) })),
    stats: () => ({ main: pools.main.stats, background: pools.background.stats }),
    async close(graceMs = CLOSE_GRACE_MS) {
      await Promise.all([heartbeat?.stop(), pools.main.close(graceMs), pools.background.close(graceMs)]);
    },
  };
}

/** One failed try, for the log. */
export interface ConnectAttempt {
  readonly number: number;
  readonly error: Error;
  /** Milliseconds until the next try. */
  readonly delayMs: number;
}

interface ConnectRetryOptions extends OpenOptions {
  readonly onAttempt?: (attempt: ConnectAttempt) => void;
}

/** As `openDatabase`, but retries until the database is available, the signal aborts, or the failure is fatal. */
export async function connectWithRetry(options: ConnectRetryOptions): Promise<Db> {
  for (let number = 1; ; number += 1) {
    try {
      return await openDatabase(options);
    } catch (error) {
      if (options.signal?.aborted === true) throw abortError(options.signal);
      if (fatalReason(error, options.target) !== undefined || !(error instanceof Error)) throw error;
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (number - 1), LAST_DELAY_MS);
      options.onAttempt?.({ number, error, delayMs });
      await pause(delayMs, options.signal);
    }
  }
}
