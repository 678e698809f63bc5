/** The worker thread that runs the embedded PostgreSQL: its synchronous WebAssembly would block the server's event loop. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite/vector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** What the worker thread of the embedded engine is started with. */
export interface WorkerInput {
  /** The folder of the PostgreSQL cluster inside the data directory. */
  readonly clusterDirectory: string;
  readonly socketPath: string;
}

export type ToWorker = { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** More than one only because a connection that was just closed may still be counted when the next one is opened. */
const MAX_CONNECTIONS = 4;

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

/** The worker must not outlive a failed engine: the socket server would keep its clients waiting forever. */
function fail(error: unknown): never {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}

const open = (directory: string) => PGlite.create(directory, { extensions: { vector } });

/**
 * Opens the cluster. A new one is created under another name and renamed when it is complete: a process killed in between
 * would otherwise leave a cluster that is incomplete and never starts.
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

/** Parse, Bind, Describe, Execute, Close, Flush: the messages of the extended protocol after which no ReadyForQuery is due. */
const EXTENDED = new Set(['P', 'B', 'D', 'E', 'C', 'H'].map((type) => type.charCodeAt(0)));
/** ReadyForQuery without its last byte, the transaction status. */
const READY = [0x5a, 0, 0, 0, 5];
const READY_LENGTH = READY.length + 1;

/**
 * PostgreSQL answers an error in the extended protocol with ErrorResponse, and sends ReadyForQuery only after the Sync that
 * follows. PGlite 0.4 sends it after both; the client takes the second one for the end of its next statement, and all later
 * responses are off by one. This removes the early one from `data`, the response to `message`.
 */
function withoutEarlyReady(message: Uint8Array, data: Uint8Array): Uint8Array {
  if (!EXTENDED.has(message[0] ?? 0)) return data;
  const start = data.length - READY_LENGTH;
  // A text result cannot hold these zero bytes, so they are a message and not the end of a row.
  return start >= 0 && READY.every((byte, index) => data[start + index] === byte) ? data.subarray(0, start) : data;
}

/**
 * Wraps the engine for the socket server: ends the worker when the engine itself fails (SQL errors are ordinary responses
 * and do not reject), and removes the early ReadyForQuery from error responses.
 */
function watch(engine: PGlite): void {
  const run = engine.execProtocolRawStream.bind(engine);
  engine.execProtocolRawStream = (message, { onRawData, ...rest }) => {
    const fixed = (data: Uint8Array) => onRawData(withoutEarlyReady(message, data));
    return run(message, { ...rest, onRawData: fixed }).catch(fail);
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
