import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { afterEach } from 'vitest';
import { Changes } from './changes.ts';
import { SVC } from './command.ts';
import { NO_CONFIG } from './server.ts';

const WAIT_MS = 30_000;

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Another program than `svc`: a shell. */
  program?: string;
  /** A command of the shell that is run in the same terminal after it; the exit code stays that of the binary. */
  afterwards?: string;
}

/** The real binary in a pseudo-terminal, its output kept by a terminal emulator: tests see what a person would see. */
export class TestTerminal {
  readonly #pty: IPty;
  readonly #emulator: headless.Terminal;
  readonly #changes = new Changes();
  #raw = '';
  #exit: number | undefined;

  constructor(
    args: readonly string[],
    { columns = 80, rows = 24, env = {}, cwd, program, afterwards }: TerminalOptions = {},
  ) {
    this.#emulator = new headless.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    const called = program === undefined ? [...SVC, ...args] : [program, ...args];
    const [file = '', ...words] =
      afterwards === undefined
        ? called
        : ['sh', '-c', `trap : INT; "$@"; e=$?; ${afterwards}; exit $e`, 'sh', ...called];
    this.#pty = spawn(file, words, {
      cols: columns,
      rows,
      env: { ...plainEnvironment(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#pty.onData((data) => {
      this.#raw += data;
      this.#emulator.write(data, () => this.#changes.tell());
    });
    this.#pty.onExit(({ exitCode }) => {
      this.#exit = exitCode;
      // The emulator may still have to read what came last.
      this.#emulator.write('', () => this.#changes.tell());
    });
  }

  /** Everything that was ever shown and not erased, the scrollback too; without empty lines at the end. */
  get lines(): string[] {
    const { cols } = this.#emulator;
    const { active } = this.#emulator.buffer;
    // A line that was longer before the terminal was made narrower keeps what nobody sees any more.
    const textAt = (at: number): string => active.getLine(at)?.translateToString(true, 0, cols) ?? '';
    const lines = Array.from({ length: active.length }, (_, at) => textAt(at));
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  get text(): string {
    return this.lines.join('\n');
  }

  /** What was written, escape sequences included. */
  get raw(): string {
    return this.#raw;
  }

  /** Undefined while it runs. A process that was ended by a signal shows as 0 here: send keys instead. */
  get exit(): number | undefined {
    return this.#exit;
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Resolves once the screen shows it. */
  async shows(wanted: string | RegExp): Promise<void> {
    await this.#until(
      () => (typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text)),
      `the screen never showed ${wanted}`,
    );
  }

  /** Resolves with the exit code once the process has ended and everything that it wrote is on the screen. */
  async ended(): Promise<number> {
    await this.#until(() => this.#exit !== undefined, 'the process did not end');
    return this.#exit ?? -1;
  }

  /** Ends what still runs. */
  close(): void {
    if (this.#exit === undefined) this.#pty.kill('SIGKILL');
    this.#emulator.dispose();
  }

  #until(holds: () => boolean, otherwise: string): Promise<void> {
    return this.#changes.until({
      holds,
      isOver: () => this.#exit !== undefined,
      ms: WAIT_MS,
      otherwise: () => `${otherwise}${this.#exit === undefined ? '' : '; it ended'}:\n${this.text}`,
    });
  }
}

function plainEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(SVC_|SERVICE_|NO_COLOR$|FORCE_COLOR$|CI$|TERM$|COLUMNS$|LINES$)/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    XDG_CONFIG_HOME: NO_CONFIG,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  };
}

/** Opens terminals that are closed after each test. */
export function useTerminals(): (args: readonly string[], options?: TerminalOptions) => TestTerminal {
  const opened: TestTerminal[] = [];
  afterEach(() => {
    for (const terminal of opened.splice(0)) terminal.close();
  });
  return (args, options) => {
    const terminal = new TestTerminal(args, options);
    opened.push(terminal);
    return terminal;
  };
}
