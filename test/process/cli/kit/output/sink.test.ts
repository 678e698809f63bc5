import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-sink-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** Writes to both sinks once its terminal is closed, and tells in a file how that ended. */
const WRITER = `
  import { writeFileSync } from 'node:fs';
  import { messageSink, outputSink, stdoutFailure } from './src/cli/kit/output/sink.ts';
  const stop = new AbortController();
  process.stdout.on('error', (error) => stop.abort(stdoutFailure(error, process.stdout)));
  process.stderr.on('error', () => {});
  const outcomeOf = (write) => write.then(() => 'written', (error) => error.constructor.name);
  process.on('SIGHUP', async () => {
    const message = await outcomeOf(messageSink(process.stderr, stop.signal).write('message'));
    const output = await outcomeOf(outputSink(process.stdout, stop).write('output'));
    writeFileSync(process.argv[1], [message, output, stop.signal.reason.constructor.name].join(' '));
    process.exit();
  });
  process.stdout.write('waits');
  setInterval(() => {}, 1000);`;

test('a terminal that was closed is a reader that is gone, not a device that fails', async () => {
  const outcome = join(directory, 'outcome');
  const args = ['--import', 'tsx', '--input-type=module', '-e', WRITER, '--', outcome];
  const terminal = spawn(process.execPath, args, { cwd: process.cwd() });
  let shown = '';
  terminal.onData((data) => {
    shown += data;
  });
  await vi.waitFor(() => expect(shown).toContain('waits'), 30_000);
  // Closes the terminal, upon which the system sends SIGHUP. The types lack this method.
  (terminal as IPty & { destroy(): void }).destroy();
  const isTold = async (): Promise<void> => expect(await readFile(outcome, 'utf8')).not.toBe('');
  await vi.waitFor(isTold, 30_000);
  expect(await readFile(outcome, 'utf8')).toBe('written OutputClosed OutputClosed');
});
