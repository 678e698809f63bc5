import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atEnd } from './at-end.ts';

/** Runs a module of the bench in a process of its own and gives the address that it prints. */
export async function startChild(
  module: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ address: string; stop: () => Promise<void> }> {
  const file = fileURLToPath(new URL(module, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = atEnd(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const failed = exited.then(([code]) => Promise.reject(new Error(`${module} ended with ${code}`)));
  failed.catch(() => {});
  const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), failed])) as [string];
  return { address: line.trim(), stop };
}
