/** The worker thread that runs the embedded PostgreSQL: its work is synchronous WebAssembly, which would stop the server. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite/vector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { FromWorker, ToWorker, WorkerInput } from './protocol.ts';
import { withoutEarlyReady } from './ready.ts';

/** More than one only because a connection that just died may still be counted when the next one comes. */
const MAX_CONNECTIONS = 4;

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

/** The worker must not outlive a failed engine: the socket server would keep callers waiting for ever. */
function fail(error: unknown): never {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}

const open = (directory: string) => PGlite.create(directory, { extensions: { vector } });

/**
 * Opens the cluster. A new one is made under another name and renamed when it is complete: a process killed while
 * making it would leave something that looks like a cluster and never starts.
 */
async function openCluster(directory: string): Promise<PGlite> {
  if (!existsSync(directory)) {
    const unfinished = `${directory}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    await (await open(unfinished)).close();
    await rename(unfinished, directory);
  }
  return open(directory);
}

/**
 * Stands between the socket server and the engine. It ends the worker when the engine itself fails; errors of SQL are
 * answers and do not come that way. And it mends the answers to errors, see ready.ts.
 */
function watch(engine: PGlite): void {
  const run = engine.execProtocolRawStream.bind(engine);
  engine.execProtocolRawStream = (message, { onRawData, ...rest }) => {
    const mended = (data: Uint8Array) => onRawData(withoutEarlyReady(message, data));
    return run(message, { ...rest, onRawData: mended }).catch(fail);
  };
}

async function main(input: WorkerInput): Promise<void> {
  const engine = await openCluster(input.clusterDirectory);
  watch(engine);
  const server = new PGLiteSocketServer({ db: engine, path: input.socketPath, maxConnections: MAX_CONNECTIONS });
  await server.start();
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'close') shutDown(engine, server).catch(fail);
  });
  post({ kind: 'ready' });
}

async function shutDown(engine: PGlite, server: PGLiteSocketServer): Promise<void> {
  await server.stop();
  await engine.close();
  post({ kind: 'closed' });
  process.exit(0);
}

main(workerData as WorkerInput).catch(fail);
