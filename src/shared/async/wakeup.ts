import { onAbort } from './abort.ts';
import { startTimer, type Timer } from './timer.ts';

interface WaitOptions {
  /** An abort ends the wait. */
  signal?: AbortSignal | undefined;
  /** Milliseconds of any length; without them nothing but a notification and the signal end the wait. */
  timeoutMs?: number | undefined;
}

/**
 * Lets one waiter sleep until something has changed. What has changed the waiter sees for itself, in a loop: it looks, and
 * waits when there is nothing to do. A notification between look and wait ends that wait at once.
 */
export class Wakeup {
  #isNotified = false;
  #wake: (() => void) | undefined;

  /** Ends the wait, or the next one. Several notifications before a wait count as one. */
  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves as soon as it is notified, the time is over or the signal aborts. Rejects only while another wait is under way. */
  async wait({ signal, timeoutMs }: WaitOptions = {}): Promise<void> {
    if (this.#wake !== undefined) throw new Error('a wake-up has one waiter at a time');
    if (!this.#isNotified && signal?.aborted !== true) {
      let timer: Timer | undefined;
      let unlisten = (): void => {};
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        unlisten = onAbort(signal, resolve);
        if (timeoutMs !== undefined) timer = startTimer(timeoutMs, resolve);
      });
      timer?.clear();
      unlisten();
      this.#wake = undefined;
    }
    this.#isNotified = false;
  }
}
