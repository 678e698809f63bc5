import { spawn } from 'node:child_process';
import { once } from 'node:events';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Comparison, compare } from './report.ts';
import type { Service } from './service.ts';

const BINARY = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const ROUNDS = 15;
const UNCACHED = 'svc --help, without compiled code';

/**
 * Whole processes, from their start to their end, against Node.js itself with nothing to do; where Node.js can keep compiled
 * code between starts, also without that.
 */
export async function benchStartUp(service: Service): Promise<Comparison[]> {
  const list = ['spaces', 'list', '--server', service.server.grpc, '--tls', 'plaintext', '--api-key', service.key];
  const contenders = {
    'node -e 0': ['-e', '0'],
    'svc --version': [BINARY, '--version'],
    'svc --help': [BINARY, '--help'],
    'svc spaces list, with its call': [BINARY, ...list],
  };
  if ('enableCompileCache' in module) Object.assign(contenders, { [UNCACHED]: [BINARY, '--help'] });
  const rounds: Record<string, number[]> = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(contenders)) {
      const ms = await wholeProcess(args, name === UNCACHED ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {});
      if (round >= 0) rounds[name]?.push(ms);
    }
  }
  return [compare('Start-up, whole processes', 'ms', rounds)];
}

async function wholeProcess(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return performance.now() - started;
}
