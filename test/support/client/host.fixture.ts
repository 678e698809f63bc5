import { Readable } from 'node:stream';
import type { Host } from '../../../src/cli/kit/output/io.ts';
import { ENTRIES } from '../../../src/cli/registry.ts';
import { run } from '../../../src/cli/run.ts';
import { packageVersion } from '../../../src/shared/package-root.ts';

export interface CliOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string;
  /** stdin, stdout and stderr are terminals. */
  terminal?: boolean;
  columns?: number;
  signal?: AbortSignal;
  /** Also what is not offered yet, as if it were. */
  offersAll?: boolean;
  /** Epoch milliseconds; a fixed time when left out. */
  now?: () => number;
  /** Called with everything that stdout has got so far. */
  onOutput?: (text: string) => unknown;
  /** Stands in for the pager of the terminal. */
  openPager?: Host['openPager'];
  /** Handed a function that does what Ctrl-\\ does. */
  onQuitKey?: (press: () => void) => void;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line in this process, with everything but the process itself. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, cwd = '/', stdin = '', terminal = false, columns, onOutput, onQuitKey } = options;
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const textOf = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('utf8');
  const host: Host = {
    env,
    cwd,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: {
      write: async (data) => {
        stdout.push(Buffer.from(data));
        onOutput?.(textOf(stdout));
      },
    },
    stderr: {
      write: async (data) => {
        stderr.push(Buffer.from(data));
      },
    },
    streams: { stdout: { write: () => true }, stderr: { write: () => true } },
    // Screens are tried in a real pseudo-terminal only.
    terminal: undefined,
    stdinIsTerminal: terminal,
    stdoutIsTerminal: terminal,
    stderrIsTerminal: terminal,
    columns,
    now: options.now ?? (() => Date.UTC(2026, 2, 5, 9, 30)),
    version: packageVersion,
    interrupt: () => {},
    onQuitKey: (listener) => {
      onQuitKey?.(listener);
      return () => {};
    },
    onContinue: () => () => {},
    openPager: options.openPager,
  };
  const entries = options.offersAll === true ? ENTRIES.map(({ lacking: _lacking, ...entry }) => entry) : ENTRIES;
  const code = await run(args, host, options.signal ?? new AbortController().signal, entries);
  return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
}
