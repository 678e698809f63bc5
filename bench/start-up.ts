import { spawn } from 'node:child_process';
import { once } from 'node:events';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { elapsed, type Figures, interleaved } from './measure.ts';
import { atMost, type Table, table } from './report.ts';
import type { Service } from './service.ts';

const BINARY = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const ROUNDS = 15;

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
