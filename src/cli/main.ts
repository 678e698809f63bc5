import { closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { PACKAGE_ROOT } from '../shared/package-root.ts';
import { Interrupted } from './kit/errors.ts';
import type { Host } from './kit/output/io.ts';
import { openPager } from './kit/output/pager-process.ts';
import { messageSink, outputSink, stdoutFailure } from './kit/output/sink.ts';

/** The entry of `bin/svc.js`: the one place that looks at the process and sets its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // The user cannot act on a deprecation inside a library.
  process.noDeprecation = true;
  const stop = new AbortController();
  const release = catchSignals(stop);
  process.stdout.on('error', (error) => stop.abort(stdoutFailure(error, process.stdout)));
  process.stderr.on('error', () => {});
  process.exitCode = await answer(argv.slice(2), hostOf(stop), stop.signal);
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
  for (const [fd, { isTTY }] of [process.stdin, process.stdout, process.stderr].entries()) {
    if (isTTY === true && !isatty(fd)) closeSync(fd);
  }
}

/** Scripts ask for the version often: it is answered without the parser and the records. */
async function answer(words: readonly string[], host: Host, signal: AbortSignal): Promise<number> {
  if (words.length === 1 && words[0] === '--version') {
    const write = host.stdout.write(`${await host.version()}\n`);
    // A failure is the reason of the signal now, and told below.
    await write.catch(() => {});
    if (!signal.aborted) return 0;
  }
  return (await import('./run.ts')).run(words, host, signal);
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

/** The version of this package. */
export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('package.json', PACKAGE_ROOT), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}
