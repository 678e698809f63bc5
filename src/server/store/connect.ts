import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { onAbort } from '../../shared/async/abort.ts';
import { startTimer } from '../../shared/async/timer.ts';
import type { DatabaseTarget } from '../settings/database-url.ts';
import { abortError, FatalDatabaseError } from './errors.ts';
import { isTlsDeclined } from './fatal-reason.ts';
import { Session } from './session.ts';
import type { TypeParsers } from './type-parsers.ts';

const CANCEL_TIMEOUT_MS = 5000;
const KEEP_ALIVE_DELAY_MS = 30_000;

/** Opens connections to one database. */
export interface Connector {
  /** Opens a session; rejects with pg's own errors, and with FatalDatabaseError where no retry can help. */
  open(signal?: AbortSignal): Promise<Session>;
}

interface DatabaseConnectorOptions {
  readonly target: DatabaseTarget;
  readonly types: TypeParsers;
  /** The embedded engine: one session for all clients, and no cancel requests. */
  readonly embedded: boolean;
}

type Tls = ConnectionOptions | false;

/** The TLS modes to try in this order: `allow` and `prefer` have two. */
async function tlsWays(target: DatabaseTarget): Promise<Tls[]> {
  if (target.sslMode === 'disable' || target.host.startsWith('/')) return [false];
  const ca = target.sslRootCert === undefined ? {} : { ca: await readRootCert(target.sslRootCert) };
  const unchecked: Tls = { rejectUnauthorized: false };
  const chain: Tls = { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  switch (target.sslMode) {
    case 'allow':
      return [false, unchecked];
    case 'prefer':
      return [unchecked, false];
    case 'require':
      // As in libpq: with a root certificate, `require` verifies the chain.
      return [target.sslRootCert === undefined ? unchecked : chain];
    case 'verify-ca':
      return [chain];
    case 'verify-full':
      return [{ ...ca, rejectUnauthorized: true }];
  }
}

async function readRootCert(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const message = `The file of sslrootcert in the database URL cannot be read: ${path}.`;
    throw new FatalDatabaseError(message, 'Give the path of a readable PEM file.', { cause });
  }
}

/** Whether the second TLS mode of `allow` or `prefer` may succeed after this failure of the first. */
function otherWayMayWork(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '28000';
  return isTlsDeclined(error);
}

/** The parts of pg's Connection that a cancel request needs and that its types leave out. */
interface Wire {
  readonly stream: Duplex;
  /** Port and host, or the path of a UNIX socket. */
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  on(event: 'connect' | 'sslconnect' | 'end', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** Sends a cancel request over a new connection; resolves when the server, having acted on it, has closed that. */
function sendCancel(target: DatabaseTarget, ssl: Tls, client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const wire = new pg.Connection({ ssl }) as unknown as Wire;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => wire.stream.destroy(new Error('cancel request timed out')), CANCEL_TIMEOUT_MS);
    wire.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    wire.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    wire.on('connect', () => (ssl === false ? wire.cancel(processID, secretKey) : wire.requestSsl()));
    wire.on('sslconnect', () => wire.cancel(processID, secretKey));
    if (target.host.startsWith('/')) wire.connect(`${target.host}/.s.PGSQL.${target.port}`);
    else wire.connect(target.port, target.host);
  });
}

function clientOf(options: DatabaseConnectorOptions, ssl: Tls): pg.Client {
  const { target, types } = options;
  return new pg.Client({
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    // A function, because pg would take an undefined password from PGPASSWORD or ~/.pgpass, which are not settings here.
    password: () => target.password ?? '',
    ssl,
    types,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'svc',
  });
}

/** Sets what every session depends on, so that results do not depend on the configuration of the server or the role. */
export function sessionSetup({ embedded, searchPath }: { embedded: boolean; searchPath: readonly string[] }): string[] {
  const path = searchPath.map((name) => pg.escapeIdentifier(name)).join(', ');
  const search = path === '' ? '' : `; set search_path to ${path}`;
  return [
    // The only session of the embedded engine outlives its clients: statements that an earlier client prepared remain.
    ...(embedded ? ['discard all'] : []),
    // The estimated cost of an exact scan triggers JIT compilation, which takes longer than the scan.
    `set datestyle to 'ISO, MDY'; set jit to off${search}`,
  ];
}

async function openWith(
  options: DatabaseConnectorOptions,
  ssl: Tls,
  signal: AbortSignal | undefined,
): Promise<Session> {
  const client = clientOf(options, ssl);
  const abort = () => client.connection.stream.destroy();
  // Never removed: an abandoned connection may emit its error later, and an error without a listener ends the process.
  client.on('error', () => undefined);
  const unlisten = onAbort(signal, abort);
  const { connectTimeoutMs } = options.target;
  const tooLate = new Error(`The connection to the database timed out after ${connectTimeoutMs / 1000} s.`);
  const timer = startTimer(connectTimeoutMs, () => client.connection.stream.destroy(tooLate));
  try {
    if (signal?.aborted) throw abortError(signal);
    await client.connect();
    for (const sql of sessionSetup({ embedded: options.embedded, ...options.target })) await client.query(sql);
    const cancel = options.embedded ? undefined : () => sendCancel(options.target, ssl, client);
    return new Session(client, cancel);
  } catch (error) {
    client.connection.stream.destroy();
    throw signal?.aborted === true ? abortError(signal) : error;
  } finally {
    timer.clear();
    unlisten();
  }
}

/** Opens sessions to `options.target`; of two TLS modes, the one that worked is tried first next time. */
export function createConnector(options: DatabaseConnectorOptions): Connector {
  let ways: Tls[] | undefined;
  return {
    async open(signal) {
      ways ??= await tlsWays(options.target);
      const [first = false, second] = ways;
      try {
        return await openWith(options, first, signal);
      } catch (error) {
        if (second === undefined || !otherWayMayWork(error)) throw error;
        const session = await openWith(options, second, signal);
        ways = [second, first];
        return session;
      }
    },
  };
}
