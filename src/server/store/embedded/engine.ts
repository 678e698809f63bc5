import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { aborted } from '../../../shared/async/abort.ts';
import { withTimeout } from '../../../shared/async/deadline.ts';
import { PACKAGE_ROOT } from '../../../shared/package-root.ts';
import { DirectoryInUse, lockDirectory } from '../../files/directory-lock.ts';
import { makeTemporaryDirectory } from '../../files/temporary-directory.ts';
import type { DatabaseTarget } from '../../settings/database-url.ts';
import { abortError, FatalDatabaseError } from '../errors.ts';
import type { FromWorker, ToWorker, WorkerInput } from './worker.ts';

const START_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 30_000;
const PORT = 5432;

interface EmbeddedOptions {
  /** Created with mode 0700 if it does not exist; one server per directory. */
  readonly dataDir: string;
  /** The compiled worker. */
  readonly workerUrl?: URL;
  readonly signal?: AbortSignal | undefined;
}

interface EmbeddedEngine {
  /** For `openDatabase` with `embedded: true`. */
  readonly target: DatabaseTarget;
  /** Resolves when the engine ended without `close`; the server cannot continue then. */
  readonly failed: Promise<Error>;
  /** Flushes to disk, ends the worker and unlocks the directory. Close the Db first. */
  close(): Promise<void>;
}

async function prepareDirectory(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
  } catch (cause) {
    const message = `The permissions of the data directory ${dataDir} cannot be restricted to the user of the server.`;
    throw new FatalDatabaseError(message, 'Give a --data-dir that belongs to this user.', { cause });
  }
}

function targetOf(socketDirectory: string): DatabaseTarget {
  return {
    host: socketDirectory,
    port: PORT,
    database: 'postgres',
    user: 'postgres',
    password: undefined,
    sslMode: 'disable',
    sslRootCert: undefined,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    searchPath: [],
    ignored: [],
  };
}

function inUse(dataDir: string, cause: DirectoryInUse): FatalDatabaseError {
  const message = `The data directory ${dataDir} is ${cause.message}.`;
  return new FatalDatabaseError(message, 'Stop that server first, or give another --data-dir.', { cause });
}

/** Why the worker ended, from whichever event comes first. */
function endOf(worker: Worker): Promise<Error> {
  return new Promise((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'failed') resolve(new Error(`The embedded database failed: ${message.message}`));
    });
    worker.on('error', (cause) => resolve(new Error('The embedded database failed.', { cause })));
    worker.on('exit', (code) => resolve(new Error(`The embedded database ended with code ${code}.`)));
  });
}

/** Waits until the worker is ready; terminates it after the timeout or when the signal aborts. */
async function started(worker: Worker, ended: Promise<Error>, signal: AbortSignal | undefined): Promise<void> {
  const stop = withTimeout(signal, START_TIMEOUT_MS);
  const ready = new Promise<undefined>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve(undefined);
    });
  });
  const outcome = await Promise.race([ready, ended, aborted(stop).then(() => abortError(stop))]);
  if (outcome === undefined) return;
  await worker.terminate();
  throw outcome;
}

async function stop(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const timer = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
  worker.postMessage({ kind: 'close' } satisfies ToWorker);
  await exited;
  clearTimeout(timer);
}

/**
 * Starts PostgreSQL in a worker thread, on a UNIX socket. Throws FatalDatabaseError if the directory is in use or its
 * permissions cannot be restricted.
 *
 * The socket is created in a new private directory, because a stale one of a killed process makes the next start hang, and
 * that directory is a temporary one, because the path of a socket may have 107 bytes at most.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const { dataDir, workerUrl = new URL('dist/server/store/embedded/worker.js', PACKAGE_ROOT), signal } = options;
  await prepareDirectory(dataDir);
  const lock = await lockDirectory(dataDir, { signal }).catch((error: unknown) => {
    if (signal?.aborted) throw abortError(signal);
    throw error instanceof DirectoryInUse ? inUse(dataDir, error) : error;
  });
  const sockets = await makeTemporaryDirectory('socket').catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  const cleanUp = () => Promise.all([lock.release(), sockets.remove()]);
  const input: WorkerInput = {
    clusterDirectory: join(dataDir, 'postgres'),
    socketPath: join(sockets.path, `.s.PGSQL.${PORT}`),
  };
  // Without the flags of this process: --input-type, for example, would prevent the worker from starting.
  const worker = new Worker(workerUrl, { workerData: input, execArgv: [] });
  const ended = endOf(worker);
  try {
    await started(worker, ended, signal);
  } catch (error) {
    await cleanUp();
    throw error;
  }
  return serving({ worker, ended, cleanUp, target: targetOf(sockets.path) });
}

interface Running {
  readonly worker: Worker;
  readonly ended: Promise<Error>;
  readonly cleanUp: () => Promise<unknown>;
  readonly target: DatabaseTarget;
}

function serving({ worker, ended, cleanUp, target }: Running): EmbeddedEngine {
  let closing: Promise<void> | undefined;
  let gone = false;
  const failed = new Promise<Error>((resolve) => {
    void ended.then((error) => {
      gone = true;
      if (closing === undefined) resolve(error);
    });
  });
  const close = async () => {
    if (!gone) await stop(worker);
    await cleanUp();
  };
  return {
    target,
    failed,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
