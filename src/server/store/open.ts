import { availableParallelism } from 'node:os';
import type { DatabaseTarget } from '../settings/database-url.ts';
import { type Connector, createConnector } from './connect.ts';
import type { Capabilities, Db, PoolName, QueryObserver, ServerFacts } from './db.ts';
import { abortError } from './errors.ts';
import { type ExecutorBounds, PoolExecutor } from './executor.ts';
import { fatalReason } from './failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { type DatabaseRole, parallelBuildIsSafe, probeServer, serverWarnings } from './probe.ts';
import type { Session } from './session.ts';
import { SessionPool } from './session-pool.ts';
import { TypeParsers } from './types.ts';
import { bounded, createGate, pause } from './waiting.ts';

const ACQUIRE_TIMEOUT_MS = 10_000;
/** Of the first statements on a new database; creating the extension may have to wait for somebody else's. */
const PROBE_TIMEOUT_MS = 60_000;
const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 5000;
const CLOSE_GRACE_MS = 5000;

/** Above this an exact scan of one space costs more than its own index (0.3 ms per 1,000 rows). */
const EXACT_SCAN_LIMIT = 5000;
/** An index cannot be built beside traffic there, so exactness reaches further. */
const EMBEDDED_EXACT_SCAN_LIMIT = 50_000;

export interface PoolSize {
  readonly minIdle: number;
  readonly max: number;
}

export interface OpenOptions {
  readonly target: DatabaseTarget;
  /** The target is the embedded engine's socket; pool sizes have no effect then. */
  readonly embedded?: boolean;
  /** Requests; 2 to 50 connections unless told. */
  readonly main?: PoolSize;
  /** Jobs; 0 to 20 connections unless told. */
  readonly background?: PoolSize;
  /** Bound of the wait for a free connection; 10 seconds unless told. */
  readonly acquireTimeoutMs?: number;
  readonly role?: DatabaseRole;
  readonly onQuery?: QueryObserver | undefined;
  /** Told when the database has said nothing for about ten seconds, and when it answers again. */
  readonly onAnswering?: ((answers: boolean) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

function capabilitiesOf(facts: ServerFacts, embedded: boolean): Capabilities {
  return {
    embedded,
    sessions: embedded ? 'one' : 'many',
    concurrentIndexBuild: !embedded,
    parallelIndexBuild: !embedded && parallelBuildIsSafe(facts.vectorVersion),
    cancel: !embedded,
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

async function probe(session: Session, { role = 'primary', signal }: OpenOptions): Promise<ServerFacts> {
  const limits = { signal, timeoutMs: PROBE_TIMEOUT_MS };
  try {
    return await bounded(probeServer(session, role), limits, () => session.destroy());
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/**
 * Connects, probes the server and opens the minimum of both pools. Throws FatalDatabaseError for what only a change
 * of configuration mends, and the driver's error for what may pass: see `connectWithRetry`.
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
 * Whoever waits for a request has waited long enough after so long; work in the background may queue behind others.
 * What is known to take longer says so in its call.
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
  readonly server: ServerFacts;
}

/** The embedded engine has one session, which is this process's: there is nobody to fall silent. */
function watched({ options, connector, pools }: Parts): Heartbeat | undefined {
  if (options.embedded === true) return undefined;
  const heartbeat = new Heartbeat({
    open: connector.open,
    onChange(answers) {
      for (const pool of Object.values(pools)) {
        if (answers) pool.resume();
        // An index that is being built in the background is hours of work, and may well be going on.
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
    // The embedded engine has no parallel builds at all.
    warnings: options.embedded === true ? [] : serverWarnings(server.vectorVersion),
    main,
    background: executor('background'),
    vectorGate: createGate(Math.max(2, availableParallelism())),
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

export interface RetryOptions extends OpenOptions {
  readonly onAttempt?: (attempt: ConnectAttempt) => void;
}

/** As `openDatabase`, but tries until the database is there, the signal aborts, or the failure is fatal. */
export async function connectWithRetry(options: RetryOptions): Promise<Db> {
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
