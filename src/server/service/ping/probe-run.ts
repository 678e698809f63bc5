import { setMaxListeners } from 'node:events';
import { onAbort } from '../../../shared/async/abort.ts';
import { openScope } from '../../../shared/async/deadline.ts';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import type { ProbeOptions, ProbeOutcome } from '../../providers/target.ts';
import type { PingPlan } from './plan.ts';

export interface FinishedProbe {
  /** From 1, in the order of the starts. */
  seq: number;
  outcome: ProbeOutcome;
  /** On the monotonic clock, in milliseconds. */
  startedMs: number;
  endedMs: number;
}

type Probe = (options: ProbeOptions) => Promise<ProbeOutcome>;
export type ProbeSchedule = Pick<PingPlan, 'count' | 'intervalMs' | 'jitter' | 'maxInFlight' | 'timeoutMs'>;

/**
 * A sequence of probes. Back-pressure: probes start only while the reader waits for a result, so at most `maxInFlight`
 * results are held, and a slow reader slows the ping down. A late start is not made up for: the next interval counts
 * from it.
 */
export class ProbeRun {
  readonly #schedule: ProbeSchedule;
  readonly #probe: Probe;
  readonly #signal: AbortSignal;
  readonly #finished: FinishedProbe[] = [];
  /** Ends the probes under way. */
  readonly #ending = new AbortController();
  readonly #changed = new Wakeup();
  #running = 0;
  #started = 0;
  #dueMs = Number.NEGATIVE_INFINITY;
  #paused = false;
  #ended = false;
  #failure: { reason: unknown } | undefined;

  constructor(schedule: ProbeSchedule, probe: Probe, signal: AbortSignal) {
    this.#schedule = schedule;
    this.#probe = probe;
    this.#signal = signal;
    // Every probe listens to it.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Nothing starts any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** No probe starts until `resume`; those under way still give results. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#changed.notify();
  }

  /** Ends the sequence: probes under way are aborted and have no result. */
  cancel(): void {
    this.#end(new DOMException('The ping was canceled', 'AbortError'));
  }

  /** Ends the sequence with an error. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#end(reason);
  }

  /** Results as they finish. Rejects with the signal's reason, or with that of `fail`. To be read once. */
  async *results(): AsyncGenerator<FinishedProbe, void, undefined> {
    const unlisten = onAbort(this.#signal, () => this.fail(this.#signal.reason));
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.reason;
        const finished = this.#finished.shift();
        if (finished !== undefined) yield finished;
        else if (this.#ended || this.#isComplete()) return;
        else await this.#changed.wait({ timeoutMs: this.#startDue() });
      }
    } finally {
      unlisten();
      this.cancel();
    }
  }

  #isComplete(): boolean {
    return this.#started >= this.#schedule.count && this.#running === 0;
  }

  #end(reason: unknown): void {
    this.#ended = true;
    this.#ending.abort(reason);
    this.#changed.notify();
  }

  /** Starts what may start now; returns the time until the next start, undefined when that waits for something else. */
  #startDue(): number | undefined {
    const { count, maxInFlight, intervalMs, jitter } = this.#schedule;
    while (!this.#paused && this.#started < count && this.#running < maxInFlight) {
      const now = performance.now();
      if (now < this.#dueMs) return this.#dueMs - now;
      this.#dueMs = now + nextInterval(intervalMs, jitter);
      this.#started += 1;
      void this.#run(this.#started, now);
    }
    return undefined;
  }

  async #run(seq: number, startedMs: number): Promise<void> {
    const scope = openScope({ signal: this.#ending.signal });
    const { signal } = scope;
    this.#running += 1;
    try {
      const outcome = await this.#probe({ signal, timeoutMs: this.#schedule.timeoutMs });
      if (!signal.aborted) this.#finished.push({ seq, outcome, startedMs, endedMs: performance.now() });
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    } finally {
      scope.close();
      this.#running -= 1;
      this.#changed.notify();
    }
  }
}

const JITTER = 0.2;

/** Milliseconds to the next start; with jitter up to 20 percent less or more, evenly spread. `random` is in [0, 1). */
export function nextInterval(intervalMs: number, jitter: boolean, random: () => number = Math.random): number {
  return jitter ? intervalMs * (1 + JITTER * (2 * random() - 1)) : intervalMs;
}
