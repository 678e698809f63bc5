import { abortable } from '../shared/async/abort.ts';

export const LIFECYCLE_STATES = ['STARTING', 'READY', 'DRAINING', 'QUIESCED'] as const;

type LifecycleStateName = (typeof LIFECYCLE_STATES)[number];

/**
 * The one place that knows in which state the server is: STARTING → READY → DRAINING → QUIESCED, never back. Health
 * endpoints, the gRPC health service, the drain rule and shutdown read it.
 */
export class Lifecycle {
  #state: LifecycleStateName = 'STARTING';
  #running = 0;
  #databaseAnswers = true;
  readonly #listeners = new Set<(state: LifecycleStateName) => void>();
  readonly #healthListeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();

  get state(): LifecycleStateName {
    return this.#state;
  }

  /** Whether start-up has finished. */
  get started(): boolean {
    return this.#state !== 'STARTING';
  }

  /** Whether new calls should come here: READY, and with a database that answers. */
  get serving(): boolean {
    return this.#state === 'READY' && this.#databaseAnswers;
  }

  /** False while the database does not answer. */
  get databaseAnswers(): boolean {
    return this.#databaseAnswers;
  }

  set databaseAnswers(answers: boolean) {
    this.#databaseAnswers = answers;
    for (const listener of [...this.#healthListeners]) listener();
  }

  get draining(): boolean {
    return this.#state === 'DRAINING' || this.#state === 'QUIESCED';
  }

  /** Requests and jobs under way. */
  get running(): number {
    return this.#running;
  }

  ready(): void {
    if (this.#state === 'STARTING') this.#enter('READY');
  }

  drain(): void {
    if (this.draining) return;
    this.#enter('DRAINING');
    this.#quiesceWhenIdle();
  }

  /** Counts a request or a job as running until the returned function is called (a second call does nothing). */
  begin(): () => void {
    this.#running += 1;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#running -= 1;
      this.#quiesceWhenIdle();
      this.#look();
    };
  }

  /** Calls back once, when the server drains or at once when it does so already; the returned function ends that. */
  onDrain(listener: () => void): () => void {
    if (!this.draining) return this.onChange((state) => state === 'DRAINING' && listener());
    listener();
    return () => {};
  }

  /** Calls back on every change of state; the returned function ends that. */
  onChange(listener: (state: LifecycleStateName) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back whenever the reported health may have changed; the returned function ends that. */
  onHealth(listener: () => void): () => void {
    this.#healthListeners.add(listener);
    return () => this.#healthListeners.delete(listener);
  }

  /** Resolves true when the state is reached, false when the signal aborts first. */
  async reached(state: LifecycleStateName, signal: AbortSignal): Promise<boolean> {
    return await this.#holds(() => this.#state === state, signal);
  }

  /** Resolves true when nothing is running, false when the signal aborts first. */
  async idle(signal: AbortSignal): Promise<boolean> {
    return await this.#holds(() => this.#running === 0, signal);
  }

  /** Decided in the very moment of a change: what holds then may not hold any more when a waiting caller goes on. */
  #holds(condition: () => boolean, signal: AbortSignal): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    const held = abortable<boolean>(signal, (resolve) => {
      const look = () => condition() && resolve(true);
      this.#waiting.add(look);
      return () => this.#waiting.delete(look);
    });
    return held.catch(() => false);
  }

  #enter(state: LifecycleStateName): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
    for (const listener of [...this.#healthListeners]) listener();
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }

  #quiesceWhenIdle(): void {
    if (this.#state === 'DRAINING' && this.#running === 0) this.#enter('QUIESCED');
  }
}
