import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { Changes } from '../../test/support/changes.ts';
import { type Frame, readRows } from './frame.ts';

const WAIT_MS = 60_000;
/** Between two keys of a film, whatever the shell needs. */
const KEY_MS = 45;
/** The longest pause of the film without a change on the screen. */
const LONGEST_IDLE_MS = 700;
/** A sequence that terminals ignore: the shell writes it with every prompt. */
const PROMPT_MARK = '\u001b]133;A\u0007';
const PROMPT = '\\n\\[\\e]133;A\\a\\]\\[\\e[32m\\]$\\[\\e[0m\\] ';

const SHOW_CURSOR = '\u001b[?25h';
const HIDE_CURSOR = '\u001b[?25l';

interface SessionOptions {
  columns: number;
  rows: number;
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** A shell in a pseudo-terminal, filmed: every change of its screen is a frame. */
export class Session {
  readonly frames: Frame[] = [];
  readonly #pty: IPty;
  readonly #emulator: headless.Terminal;
  readonly #changes = new Changes();
  /** How far the film is, and what the clock said then; both in milliseconds. */
  #film = 0;
  #clock = performance.now();
  #prompts = 0;
  #hasCursor = true;
  #hasEnded = false;

  constructor({ columns, rows, cwd, env }: SessionOptions) {
    this.#emulator = new headless.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
    this.#pty = spawn('bash', ['--noprofile', '--norc'], {
      cols: columns,
      rows,
      cwd,
      env: { ...env, PS1: PROMPT, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    });
    this.#pty.onData((data) => {
      this.#prompts += data.split(PROMPT_MARK).length - 1;
      const [shown, hidden] = [data.lastIndexOf(SHOW_CURSOR), data.lastIndexOf(HIDE_CURSOR)];
      this.#emulator.write(data, () => {
        if (shown !== hidden) this.#hasCursor = shown > hidden;
        this.#shoot();
      });
    });
    this.#pty.onExit(() => {
      this.#hasEnded = true;
      this.#changes.tell();
    });
  }

  /** Types a command key by key, lets it run until the next prompt, and stays with what it shows for `hold` milliseconds. */
  async run(command: string, hold: number): Promise<void> {
    const before = this.#prompts;
    for (const key of command) await this.#type(key);
    this.rest(300);
    this.#pty.write('\r');
    await this.#until(() => this.#prompts > before, `no prompt after: ${command}`);
    this.rest(hold);
  }

  /** Resolves once the shell waits for its first command. */
  prompted(): Promise<void> {
    return this.#until(() => this.#prompts > 0, 'the shell never asked for a command');
  }

  /** Stays with what is shown. Returns how long the film is by then. */
  rest(ms: number): number {
    this.#film = this.#tick() + ms;
    return this.#film;
  }

  close(): void {
    if (!this.#hasEnded) this.#pty.kill('SIGKILL');
    this.#emulator.dispose();
  }

  async #type(key: string): Promise<void> {
    const shown = this.frames.length;
    const at = this.#tick();
    this.#pty.write(key);
    await this.#until(() => this.frames.length > shown, `no echo of ${key}`);
    this.#film = Math.max(this.#film, at + KEY_MS);
  }

  /** Moves the film on by what the clock has, up to the longest idle time. */
  #tick(): number {
    const now = performance.now();
    this.#film += Math.min(now - this.#clock, LONGEST_IDLE_MS);
    this.#clock = now;
    return this.#film;
  }

  #shoot(): void {
    const { cursorX: column, cursorY: row } = this.#emulator.buffer.active;
    const cursor = this.#hasCursor ? { cursor: { row, column } } : {};
    this.frames.push({ at: this.#tick(), rows: readRows(this.#emulator), ...cursor });
    this.#changes.tell();
  }

  #until(holds: () => boolean, otherwise: string): Promise<void> {
    return this.#changes.until({
      holds,
      isOver: () => this.#hasEnded,
      ms: WAIT_MS,
      otherwise: () => (this.#hasEnded ? `${otherwise}; the shell ended` : otherwise),
    });
  }
}
