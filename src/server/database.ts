import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../shared/package-root.ts';
import type { Logger } from './log.ts';
import { type DatabaseTarget, parseDatabaseUrl } from './settings/database-url.ts';
import type { LoadedSettings } from './settings/load.ts';
import type { Db, QueryObserver } from './store/db.ts';
import { startEmbedded } from './store/embedded/engine.ts';
import { migrate } from './store/migrate.ts';
import { connectWithRetry } from './store/open.ts';

const MIGRATIONS = fileURLToPath(new URL('dist/migrations', PACKAGE_ROOT));

interface RunningDatabase {
  db: Db;
  close(): Promise<void>;
}

interface DatabaseContext {
  log: Logger;
  /** Ends the wait for a database that is unavailable. */
  signal: AbortSignal;
  /** Called when the embedded engine dies: the server cannot go on then. */
  fail(error: Error): void;
  /** Called when the database stops answering, and when it answers again. */
  onAnswering?: ((answers: boolean) => void) | undefined;
  /** Called for every statement. */
  onQuery?: QueryObserver | undefined;
}

/**
 * The database, migrated. Waits for one that is unavailable; throws FatalDatabaseError for a problem that waiting
 * cannot solve.
 */
export async function openMigratedDatabase(loaded: LoadedSettings, context: DatabaseContext): Promise<RunningDatabase> {
  const { log, signal } = context;
  const engine = await locate(loaded, context);
  let db: Db | undefined;
  const close = async () => {
    await db?.close();
    await engine.close();
  };
  try {
    db = await connect(loaded, engine, context);
    for (const warning of db.warnings) log.warn(warning);
    const { from, to } = await migrate(db, MIGRATIONS, { signal, log: (message) => log.info(message) });
    log.info({ version: db.server.version, vector: db.server.vectorVersion, schema: to, from }, 'database ready');
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Located {
  target: DatabaseTarget;
  embedded: boolean;
  close(): Promise<void>;
}

async function locate({ settings }: LoadedSettings, { log, signal, fail }: DatabaseContext): Promise<Located> {
  if (!settings.embedded) {
    return { target: externalTarget({ settings }, log), embedded: false, close: async () => {} };
  }
  const engine = await startEmbedded({ dataDir: settings.dataDir, signal });
  void engine.failed.then(fail);
  return { target: engine.target, embedded: true, close: () => engine.close() };
}

/** The settings were checked when they were loaded, so that the URL parses and there is a user. */
function externalTarget({ settings }: Pick<LoadedSettings, 'settings'>, log: Logger): DatabaseTarget {
  const target = parseDatabaseUrl(settings.dbUrl ?? '', { user: settings.dbUser, password: settings.dbPassword });
  if (target.ignored.length > 0)
    log.warn({ parameters: target.ignored }, 'parameters of --db-url that are not known and have no effect');
  return target;
}

function connect(
  { settings }: LoadedSettings,
  { target, embedded }: Located,
  { log, signal, onAnswering, onQuery }: DatabaseContext,
): Promise<Db> {
  return connectWithRetry({
    target,
    embedded,
    signal,
    onQuery,
    onAnswering(answers) {
      if (answers) log.info('the database answers again');
      else log.warn('the database has not answered for 9 s; calls that need it are refused until it does');
      onAnswering?.(answers);
    },
    main: { minIdle: settings.dbMinIdle, max: settings.dbMaxPool },
    background: { minIdle: settings.backgroundDbMinIdle, max: settings.backgroundDbMaxPool },
    onAttempt: ({ number, error, delayMs }) =>
      log.warn(
        { attempt: number, nextInMs: delayMs, reason: error.message },
        'the database is not reachable; waiting for it',
      ),
  });
}
