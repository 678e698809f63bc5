import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from './client/client.ts';
import { inputError, usageError } from './failure.ts';
import { type GlobalValues, TLS_MODES, type TlsMode } from './global-flags.ts';
import type { Io } from './io.ts';

const DEFAULT_SERVER = 'localhost:9090';

export interface SessionOptions {
  io: Io;
  globals: GlobalValues;
  signal: AbortSignal;
}

/** Where to connect and with what, from the flags, then the environment, then the defaults. */
interface Connection {
  server: string;
  tls: TlsMode;
  apiKey: string | undefined;
}

/** The connection of one command: made at the first use, closed at its end. */
export function openSession(options: SessionOptions): { client: () => Promise<Client>; close: () => void } {
  let opened: Promise<Client> | undefined;
  return {
    client: () => {
      opened ??= connect(options);
      return opened;
    },
    close: () => {
      opened?.then(
        (client) => client.close(),
        () => {},
      );
    },
  };
}

async function connect({ io, globals, signal }: SessionOptions): Promise<Client> {
  const { server, tls, apiKey } = await connectionOf(io, globals);
  // grpc-js takes longer to load than most commands run: help, version and mistakes do without it.
  const [{ parseAddress }, { chooseRung }, { grpcClient }] = await Promise.all([
    import('./client/address.ts'),
    import('./client/tls-ladder.ts'),
    import('./client/grpc-client.ts'),
  ]);
  const address = parseAddress(server);
  const { rung, remark } = await chooseRung(address, tls, signal);
  if (remark !== undefined) await io.stderr.write(`svc: ${remark}\n`);
  const trace = globals.debug ? (line: string) => void io.stderr.write(`debug: ${line}\n`).catch(() => {}) : undefined;
  trace?.(`connecting to ${address.authority}, ${rung}`);
  return grpcClient({ address, rung, apiKey, signal, trace });
}

async function connectionOf(io: Io, globals: GlobalValues): Promise<Connection> {
  const { env } = io;
  return {
    server: globals.server ?? (env.SVC_SERVER || DEFAULT_SERVER),
    tls: globals.tls ?? tlsOf(env.SVC_TLS) ?? 'auto',
    apiKey: await apiKeyOf(io, globals),
  };
}

function tlsOf(value: string | undefined): TlsMode | undefined {
  if (value === undefined || value === '') return undefined;
  const found = TLS_MODES.find((mode) => mode === value);
  if (found !== undefined) return found;
  throw usageError(`SVC_TLS must be one of ${TLS_MODES.join(', ')}, got "${value}"`);
}

async function apiKeyOf(io: Io, { apiKey, apiKeyFile }: GlobalValues): Promise<string | undefined> {
  if (apiKey !== undefined && apiKeyFile !== undefined) throw usageError('Give --api-key or --api-key-file, not both');
  if (apiKeyFile !== undefined) return headerValue(await readSecret(io, apiKeyFile), `the file ${apiKeyFile}`);
  if (apiKey !== undefined) return headerValue(apiKey, '--api-key');
  const fromEnv = io.env.SVC_API_KEY;
  return fromEnv === undefined || fromEnv === '' ? undefined : headerValue(fromEnv, 'SVC_API_KEY');
}

/** The trimmed text of a file, or of stdin for `-`. */
export async function readSecret(io: Pick<Io, 'readStdin' | 'cwd'>, file: string): Promise<string> {
  try {
    return (file === '-' ? await io.readStdin() : await readFile(resolve(io.cwd, file))).toString('utf8').trim();
  } catch (error) {
    throw inputError(`Cannot read ${file === '-' ? 'stdin' : file}`, error);
  }
}

function headerValue(key: string, source: string): string {
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw usageError(`The API key from ${source} is ${key === '' ? 'empty' : 'not made of visible ASCII characters'}`);
}
