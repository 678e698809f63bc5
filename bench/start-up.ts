import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer } from '../test/support/server.ts';
import { elapsed, type Figures, interleaved } from './measure.ts';
import { atMost, type Table, table } from './report.ts';
import type { Service } from './service.ts';

const BINARY = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const ROUNDS = 15;
const SERVERS = 5;
/** After READY: time for what a server does once it is started. */
const IDLE_MS = 5000;

/**
 * Whole processes, from their start to their end, against Node.js itself with nothing to do; where Node.js can keep compiled
 * code between starts, also without that.
 */
export async function* benchStartUp(service: Service): AsyncGenerator<Table> {
  const list = ['spaces', 'list', '--server', service.server.grpc, '--tls', 'plaintext', '--api-key', service.key];
  const uncached = { 'svc --help, without compiled code': command(['--help'], { NODE_DISABLE_COMPILE_CACHE: '1' }) };
  const contenders: Record<string, () => Promise<Figures>> = {
    'node -e 0': () => wholeProcess(['-e', '0']),
    'svc --version': command(['--version']),
    'svc --help': command(['--help']),
    'svc spaces list': command(list),
    ...('enableCompileCache' in module ? uncached : {}),
  };
  const over = (bar: number, goal: number) => [{ over: 'node -e 0', by: 'ms', promise: atMost(bar, goal) }] as const;
  yield table('Start of a command', await interleaved(contenders, ROUNDS), {
    'svc --version': over(1.2, 1.1),
    'svc --help': over(1.5, 1.3),
    'svc spaces list': over(3, 2.2),
  });
  yield table('Start of a server on an external database with the schema in place', await servers(service), {
    'from the start to READY': [{ promise: atMost(1000, 500, 'ms') }],
    'resident when idle': [{ promise: atMost(120, 90, 'MB') }],
  });
}

/** A second server beside the running one, with all that is on by default but TLS. */
async function servers(service: Service) {
  const rounds = { 'from the start to READY': [] as Figures[], 'resident when idle': [] as Figures[] };
  for (let round = -1; round < SERVERS; round += 1) {
    const started = performance.now();
    const server = await startServer({ databaseFlags: service.databaseFlags });
    const ms = performance.now() - started;
    try {
      await sleep(IDLE_MS);
      const status = await readFile(`/proc/${server.process.pid}/status`, 'utf8');
      if (round < 0) continue;
      rounds['from the start to READY'].push({ ms });
      rounds['resident when idle'].push({ MB: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024 });
    } finally {
      await server.end();
    }
  }
  return rounds;
}

function command(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return () => wholeProcess([BINARY, ...args], env);
}

function wholeProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return elapsed(1, 'ms', async () => {
    const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  });
}
