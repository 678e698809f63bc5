import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { BINARY } from './command.ts';
import { ENGINE_FLAGS } from './engine-flags.ts';

const START_TIMEOUT_MS = 60_000;
/** As the folder of config files: none is found there, and none can be made. */
export const NO_CONFIG = '/dev/null';

interface ServerOptions {
  /** Flags that choose the database: what `createTestDatabase()` gives. */
  databaseFlags: readonly string[];
  flags?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Which log line to wait for; `listening` comes while the server is still STARTING. */
  until?: 'ready' | 'listening';
}

/** A server process: the real binary on free loopback ports, in plaintext unless flags say otherwise. */
export class TestServer {
  readonly rest: string;
  readonly grpc: string;
  readonly process: ChildProcess;
  /** Every log line so far, parsed where it is JSON. */
  readonly logs: unknown[];

  constructor(process: ChildProcess, addresses: { rest: string; grpc: string }, logs: unknown[]) {
    this.process = process;
    this.rest = addresses.rest;
    this.grpc = addresses.grpc;
    this.logs = logs;
  }

  /** Sends a signal and waits for the end; resolves with the exit code, null after a kill. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }

  /** Makes the root user and returns its key. */
  async init(): Promise<string> {
    const response = await fetch(`${this.rest}/v1/system/init`, { method: 'POST' });
    const body = (await response.json()) as { rootApiKey?: string };
    if (body.rootApiKey === undefined) throw new Error(`system/init gave no key: ${JSON.stringify(body)}`);
    return body.rootApiKey;
  }
}

/** Starts `svc serve` and waits until it is ready. Rejects with its output when it ends instead. */
export async function startServer(options: ServerOptions): Promise<TestServer> {
  const { databaseFlags, flags = [], env = {}, until = 'ready' } = options;
  const nodeFlags = databaseFlags.includes('--embedded') ? ENGINE_FLAGS : [];
  const plaintext = flags.some((flag) => flag.startsWith('--tls') || flag.includes('-tls-enabled'))
    ? []
    : ['--tls-disabled'];
  const args = [
    ...nodeFlags,
    BINARY,
    'serve',
    ...databaseFlags,
    '--host',
    '127.0.0.1',
    '--rest-port',
    '0',
    '--grpc-port',
    '0',
    ...plaintext,
    ...flags,
  ];
  const child = spawn(process.execPath, args, {
    // Stand-ins of providers are on loopback, for users as well as for administrators.
    env: { ...cleanEnvironment(), SERVICE_PROVIDER_ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logs: unknown[] = [];
  const lines = createInterface({ input: child.stderr });
  return await new Promise<TestServer>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server was not ${until} in time:\n${tail(logs)}`));
    }, START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code} instead of starting:\n${tail(logs)}`));
    });
    lines.on('line', (line) => {
      const entry = parse(line);
      logs.push(entry);
      if (!isLogEntry(entry) || entry.msg !== until) return;
      clearTimeout(timer);
      resolve(new TestServer(child, entry, logs));
    });
    child.stdout.resume();
  });
}

/** Runs `svc` to its end. */
export async function runSvc(
  args: readonly string[],
  { env = {}, input }: { env?: Readonly<Record<string, string>>; input?: string | Buffer } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const flags = args.includes('--embedded') ? ENGINE_FLAGS : [];
  const child = spawn(process.execPath, [...flags, BINARY, ...args], {
    env: { ...cleanEnvironment(), ...env },
    stdio: 'pipe',
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** The environment of a test process, and the profiles of who runs it, must not configure what it starts. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = /^(SERVICE_|SVC_|DB_|BACKGROUND_DB_|GRPC_|NO_COLOR|FORCE_COLOR)/;
  const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: NO_CONFIG };
}

interface LogEntry {
  msg: string;
  rest: string;
  grpc: string;
}

function isLogEntry(entry: unknown): entry is LogEntry {
  return typeof entry === 'object' && entry !== null && 'msg' in entry;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function tail(logs: readonly unknown[]): string {
  return logs
    .slice(-20)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    .join('\n');
}
