import { closeSync } from 'node:fs';
import { packageVersion } from '../shared/package-root.ts';
import { Interrupted } from './kit/errors.ts';
import type { Host } from './kit/output/io.ts';
import { openPager } from './kit/output/pager-process.ts';
import { messageSink, outputSink, stdoutFailure } from './kit/output/sink.ts';

/** Runs one command line (without `node` and the script) for this process: the one place that looks at it and sets its exit code. */
export async function runProcess(words: readonly string[]): Promise<void> {
  const stop = new AbortController();
  const release = catchSignals(stop);
  process.stdout.on('error', (error) => stop.abort(stdoutFailure(error, process.stdout)));
  process.stderr.on('error', () => {});
  // What commands need takes longer to load than this: a signal counts meanwhile.
  const { run } = await import('./run.ts');
  process.exitCode = await run(words, hostOf(stop), stop.signal);
  release();
  // stdin keeps the loop alive when a command read a part of it only.
  process.stdin.unref?.();
  leaveClosedTerminals();
}

/**
 * At its end Node sets terminals back to what they were, and aborts (134) where one was closed meanwhile. It passes over
 * descriptors that are not open.
 */
function leaveClosedTerminals(): void {
  const { isatty } = process.getBuiltinModule('node:tty');
  for (const [fd, { isTTY }] of [process.stdin, process.stdout, process.stderr].entries()) {
    if (isTTY === true && !isatty(fd)) closeSync(fd);
  }
}

function hostOf(stop: AbortController): Host {
  const { stdin, stdout, stderr } = process;
  const { signal } = stop;
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin,
    stdout: outputSink(stdout, stop),
    stderr: messageSink(stderr, signal),
    streams: { stdout, stderr },
    terminal: stdout.isTTY === true ? { stdin, stdout, stderr, env: process.env } : undefined,
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    columns: stdout.columns ?? stderr.columns,
    now: Date.now,
    version: packageVersion,
    interrupt: () => interrupt(stop, 'SIGINT'),
    onQuitKey: (listener) => onSignal('SIGQUIT', listener),
    onContinue: (listener) => onSignal('SIGCONT', listener),
    openPager: (command) => {
      const sink = outputSink(stdout, stop);
      hasPager = true;
      return openPager(command, { env: process.env, stop, stdout: sink });
    },
  };
}

function onSignal(name: 'SIGQUIT' | 'SIGCONT', listener: () => void): () => void {
  process.on(name, listener);
  return () => void process.off(name, listener);
}

/** A pager has the terminal: Ctrl-C is for it, and its reader says when it is over. */
let hasPager = false;

/** The first signal cancels what is under way, the second ends the process at once. */
function interrupt(stop: AbortController, name: 'SIGINT' | 'SIGTERM'): void {
  const interrupted = new Interrupted(name);
  if (stop.signal.aborted && hasPager && name === 'SIGINT') return;
  if (stop.signal.aborted) process.exit(interrupted.exit);
  stop.abort(interrupted);
}

function catchSignals(stop: AbortController): () => void {
  const stopping = (name: NodeJS.Signals): void => interrupt(stop, name === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
  process.on('SIGINT', stopping).on('SIGTERM', stopping);
  return () => {
    process.off('SIGINT', stopping).off('SIGTERM', stopping);
  };
}
