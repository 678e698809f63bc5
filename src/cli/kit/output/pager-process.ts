import { once } from 'node:events';
import { OutputClosed } from '../errors.ts';
import type { Environment } from './io.ts';
import type { Pager, Sink } from './sink.ts';

/** Exit codes of a shell that cannot run a command. */
const NOT_RUN: readonly unknown[] = [126, 127];
/** More than a pipe holds: a pager that has read so much runs, and what it has read need not be kept. */
const MOST_KEPT = 1_048_576;

interface PagerOptions {
  env: Environment;
  /** Aborted with `OutputClosed` when the reader leaves early: further output is discarded. */
  stop: AbortController;
  /** Takes what a pager that cannot be run does not show. */
  stdout: Sink;
  /** The path of the shell that takes the command; that of the system when left out. */
  shell?: string;
}

/** Starts the command of a pager on this terminal. */
export function openPager(command: string, { env, stop, stdout, shell }: PagerOptions): Pager {
  // As git and gh have it: less ends by itself when everything fits, shows colors, and leaves the text on the screen.
  const defaults = { LESS: 'FRX', LV: '-c' };
  // Few commands have a pager, and this module takes long to load.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(command, {
    shell: shell ?? true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...defaults, ...env },
  });
  // Without a shell there is an error in place of an exit; it must not become an unhandled rejection.
  const wasRun = once(child, 'exit').then(
    ([code]) => !NOT_RUN.includes(code),
    () => false,
  );
  let kept: Buffer[] = [];
  let size = 0;
  let isGone = false;
  // The stdin of what was never started takes nothing, and says nothing about it.
  void wasRun.then((has) => {
    isGone ||= !has;
  });
  child.stdin.on('error', () => {
    isGone = true;
    void wasRun.then((has) => has && stop.abort(new OutputClosed()));
  });
  const showKept = async (): Promise<void> => {
    const all = Buffer.concat(kept);
    kept = [];
    await stdout.write(all);
  };
  return {
    sink: {
      async write(data) {
        const bytes = Buffer.from(data);
        size += bytes.length;
        kept = size > MOST_KEPT ? [] : [...kept, bytes];
        if (!isGone && !child.stdin.write(bytes))
          await Promise.race([once(child.stdin, 'drain').catch(() => {}), wasRun]);
        if (!isGone) return;
        if (await wasRun) throw new OutputClosed();
        await showKept();
      },
    },
    async end() {
      child.stdin.end();
      if (!(await wasRun)) await showKept();
    },
  };
}
