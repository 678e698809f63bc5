import pg from 'pg';
import { sleepUntilAborted } from '../../shared/async/timer.ts';
import { endsConnection } from './errors.ts';
import type { Session } from './session.ts';
import { withinBounds } from './waiting.ts';

/** Between two checks; their cost to the database is too small to measure. */
const PERIOD_MS = 1500;
/** Timeout of one check, including a new connection. */
const TRY_MS = 3000;
/**
 * A database that has not responded for nine seconds counts as unresponsive. They count from the first unanswered check:
 * two or three checks, one of them over a new connection.
 */
const SILENCE_MS = 9000 - PERIOD_MS;

export const HEARTBEAT = 'select 1';

interface HeartbeatOptions {
  open(signal: AbortSignal): Promise<Session>;
  /** Called when the database stops responding, and when it responds again. Must not throw. */
  onChange(answers: boolean): void;
}

/**
 * Checks regularly that the database responds, over a connection of its own, since those of calls may all be busy with slow
 * statements. Needed because a frozen process or a network that drops packets causes no error, only a hang.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #ending = new AbortController();
  #session: Session | undefined;
  #answers = true;
  /** Runs while a response is due. */
  #silence: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** To be called when the database has just answered a caller, which counts as the first response. */
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
      await sleepUntilAborted(PERIOD_MS, signal);
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

  /** Reports the database as unresponsive unless it has responded within `ms`. */
  #expect(ms: number): NodeJS.Timeout {
    const due = performance.now() + ms;
    const timer = setTimeout(() => {
      // One turn of the event loop later, so that responses that arrived while this process was stopped are read first.
      setImmediate(() => {
        if (this.#silence !== timer || this.#ending.signal.aborted) return;
        // A process that was stopped has sent no check in that time and may have lost its connection: check once more.
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
      await withinBounds(this.#select(trying.signal), limits, () => trying.abort());
      return true;
    } catch (error) {
      this.#session?.destroy();
      this.#session = undefined;
      return error instanceof pg.DatabaseError && (!endsConnection(error) || isShort(error));
    }
  }

  async #select(signal: AbortSignal): Promise<void> {
    if (this.#session?.retired !== false) this.#session = await this.#options.open(signal);
    const session = this.#session;
    // The check was aborted while the connection was being opened.
    if (signal.aborted) session.destroy();
    await session.send({ text: HEARTBEAT });
  }
}

/** A server that refuses a connection for lack of resources (SQLSTATE class 53) is responding, though it closes the connection. */
function isShort({ code }: pg.DatabaseError): boolean {
  return code?.startsWith('53') === true;
}
