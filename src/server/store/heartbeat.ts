import pg from 'pg';
import { endsConnection } from './errors.ts';
import type { Session } from './session.ts';
import { bounded, pause } from './waiting.ts';

/** Between two questions; what they cost the database cannot be measured. */
const PERIOD_MS = 1500;
/** One try, a new connection included. */
const TRY_MS = 3000;
/**
 * A database that has said nothing for nine seconds does not answer. They count from the first question that it owes an
 * answer to: two or three tries, one of them over a new connection.
 */
const SILENCE_MS = 9000 - PERIOD_MS;

export interface HeartbeatOptions {
  open(signal: AbortSignal): Promise<Session>;
  /** Told when the database falls silent, and when it answers again. Must not throw. */
  onChange(answers: boolean): void;
}

/**
 * Asks the database whether it is there, over a connection of its own: those of calls may all be waiting for slow
 * statements. A frozen process and a network that swallows packets give no error, only silence.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #ending = new AbortController();
  #session: Session | undefined;
  #answers = true;
  /** Runs while an answer is due. */
  #silence: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The database has just answered somebody else. */
  start(): void {
    this.#answered();
    this.#running ??= this.#beat();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#silence);
    await this.#running;
    await this.#session?.close();
  }

  async #beat(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await pause(PERIOD_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      this.#silence ??= this.#expect(SILENCE_MS);
      if (await this.#ask()) this.#answered();
    }
  }

  #answered(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    if (!this.#ending.signal.aborted) this.#become(true);
  }

  /** Takes the database for silent when nothing has been heard of it by then. */
  #expect(ms: number): NodeJS.Timeout {
    const due = performance.now() + ms;
    const timer = setTimeout(() => {
      // A turn of the loop later: what came while this process stood still is read by then.
      setImmediate(() => {
        if (this.#silence !== timer || this.#ending.signal.aborted) return;
        // A process that stood still has not asked in that time, and perhaps lost its connection: one more try.
        if (performance.now() - due > PERIOD_MS) this.#silence = this.#expect(TRY_MS);
        else this.#become(false);
      });
    }, ms).unref();
    return timer;
  }

  #become(answers: boolean): void {
    if (this.#answers === answers) return;
    this.#answers = answers;
    this.#options.onChange(answers);
  }

  async #ask(): Promise<boolean> {
    const trying = new AbortController();
    const limits = { signal: this.#ending.signal, timeoutMs: TRY_MS };
    try {
      await bounded(this.#select(trying.signal), limits, () => trying.abort());
      return true;
    } catch (error) {
      this.#session?.destroy();
      this.#session = undefined;
      return error instanceof pg.DatabaseError && (!endsConnection(error) || isShort(error));
    }
  }

  async #select(signal: AbortSignal): Promise<void> {
    if (this.#session?.spent !== false) this.#session = await this.#options.open(signal);
    const session = this.#session;
    // The try was given up while the connection was being opened.
    if (signal.aborted) session.destroy();
    await session.send({ text: 'select 1' });
  }
}

/** Whoever refuses a connection for want of room is there, though this is the last word on the connection. */
function isShort({ code }: pg.DatabaseError): boolean {
  return code?.startsWith('53') === true;
}
