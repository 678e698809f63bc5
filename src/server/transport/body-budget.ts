import { ServiceError } from '../../shared/errors.ts';

/** What every body may hold without being counted: a flow-control window of HTTP/2, which is read ahead anyway. */
const FREE_BYTES = 64 * 1024;

/**
 * The memory that the bodies under way may take, for all callers together and on both wires. Nobody waits for it: who
 * holds a part of what he wants while he waits for the rest would keep it from others who do the same.
 */
export class BodyBudget {
  readonly #total: number;
  readonly #onRelease: (bytes: number) => void;
  #held = 0;

  /** `bytes` is the sum of what bodies may hold at once. `onRelease` is told of the largest sum of each call at its end. */
  constructor(bytes: number, onRelease: (bytes: number) => void = () => {}) {
    this.#total = bytes;
    this.#onRelease = onRelease;
  }

  /** Bytes that bodies hold now. */
  get held(): number {
    return this.#held;
  }

  /** The share of one call, empty at first. `release` must be called once its bodies are given up. */
  open(): BodyShare {
    let held = 0;
    let most = 0;
    let isOpen = true;
    return {
      hold: (bytes) => {
        if (!isOpen) return;
        const wanted = Math.max(0, bytes - FREE_BYTES);
        if (wanted > held) this.#requireRoom(wanted, held);
        this.#held += wanted - held;
        held = wanted;
        most = Math.max(most, held);
      },
      release: () => {
        isOpen = false;
        this.#held -= held;
        held = 0;
        if (most > 0) this.#onRelease(most);
        most = 0;
      },
    };
  }

  #requireRoom(wanted: number, held: number): void {
    if (wanted > this.#total) {
      throw new ServiceError('PAYLOAD_TOO_LARGE', 'The request takes more memory than the server gives to requests', {
        details: `at most ${this.#total} bytes for all requests together; see --request-memory-mb`,
      });
    }
    if (this.#held - held + wanted <= this.#total) return;
    throw new ServiceError('UNAVAILABLE', 'The server is busy with other large requests: repeat this one', {
      details: `at most ${this.#total} bytes for all requests together`,
      retryAfterSeconds: 1,
    });
  }
}

export interface BodyShare {
  /**
   * Sets how many bytes the call holds in all. Throws UNAVAILABLE when others hold too many, PAYLOAD_TOO_LARGE when there
   * can never be room; what was held before stays held then.
   */
  hold(bytes: number): void;
  /** Gives everything back. Nothing is counted afterwards. */
  release(): void;
}
