/** Somebody waits for a query; a document is work in the background. */
export type CallClass = 'query' | 'document';

interface Waiter {
  callClass: CallClass;
  start: () => void;
}

/**
 * Bounds the calls in flight to one target, for all callers of the process. Queries pass documents, and the last
 * slots are kept free of documents: a person waits for a query, nobody waits for a batch of an ingestion.
 */
export class CallSlots {
  readonly #total: number;
  readonly #forDocuments: number;
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #documents = 0;

  /** `forDocuments` of the `total` slots may hold documents. */
  constructor(total: number, forDocuments: number) {
    this.#total = total;
    this.#forDocuments = forDocuments;
  }

  /** Runs `work` when a slot is free; rejects with the signal's reason when it aborts before. */
  async run<T>(callClass: CallClass, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (!this.#admits(callClass)) await this.#wait(callClass, signal);
    else this.#enter(callClass);
    try {
      return await work();
    } finally {
      this.#leave(callClass);
    }
  }

  #admits(callClass: CallClass): boolean {
    return this.#running < this.#total && (callClass === 'query' || this.#documents < this.#forDocuments);
  }

  #enter(callClass: CallClass): void {
    this.#running++;
    if (callClass === 'document') this.#documents++;
  }

  #leave(callClass: CallClass): void {
    this.#running--;
    if (callClass === 'document') this.#documents--;
    for (const kind of ['query', 'document'] as const) {
      const next = this.#waiting.findIndex((waiter) => waiter.callClass === kind);
      const waiter = this.#waiting[next];
      if (waiter === undefined || !this.#admits(kind)) continue;
      this.#waiting.splice(next, 1);
      // Entered here and not by the woken caller: nobody may take the slot in between.
      this.#enter(kind);
      waiter.start();
      return;
    }
  }

  #wait(callClass: CallClass, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        callClass,
        start: () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.push(waiter);
    });
  }
}
