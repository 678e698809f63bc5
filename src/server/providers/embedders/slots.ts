import type { EmbedInputType } from './types.ts';

interface Waiter {
  inputType: EmbedInputType;
  start: () => void;
}

/**
 * Bounds the calls in flight to one embedder, for all callers of the process. Queries pass documents, and the last
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
  async run<T>(inputType: EmbedInputType, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (!this.#admits(inputType)) await this.#wait(inputType, signal);
    else this.#enter(inputType);
    try {
      return await work();
    } finally {
      this.#leave(inputType);
    }
  }

  #admits(inputType: EmbedInputType): boolean {
    return this.#running < this.#total && (inputType === 'query' || this.#documents < this.#forDocuments);
  }

  #enter(inputType: EmbedInputType): void {
    this.#running++;
    if (inputType === 'document') this.#documents++;
  }

  #leave(inputType: EmbedInputType): void {
    this.#running--;
    if (inputType === 'document') this.#documents--;
    for (const kind of ['query', 'document'] as const) {
      const next = this.#waiting.findIndex((waiter) => waiter.inputType === kind);
      const waiter = this.#waiting[next];
      if (waiter === undefined || !this.#admits(kind)) continue;
      this.#waiting.splice(next, 1);
      // Entered here and not by the woken caller: nobody may take the slot in between.
      this.#enter(kind);
      waiter.start();
      return;
    }
  }

  #wait(inputType: EmbedInputType, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        inputType,
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
