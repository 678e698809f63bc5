import { ServiceError } from '../../shared/errors.ts';

/** The most bytes of a message or body, over REST and gRPC, that needs no API key: none of these is larger. */
export const KEYLESS_BYTES = 64 * 1024;
/** What every body may hold without being counted: a flow-control window of HTTP/2, which is read ahead anyway. */
const FREE_BYTES = 64 * 1024;
const PART_OF_ONE = 1 / 2;
const PART_OF_A_CALL = 3 / 4;

/**
 * The memory that request bodies may hold, for all callers together, over REST and gRPC. A request that does not fit is
 * refused and never waits: requests that hold a part while they wait for the rest would block each other. All bodies of
 * one user may take half of what the other users leave, so that others can always send something. A single body may
 * take more than this half, as it could otherwise never be sent, but at most three quarters of the total.
 */
export class BodyBudget {
  readonly #total: number;
  readonly #onRelease: (bytes: number) => void;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  /**
   * `bytes` is what all bodies may hold at once. `onRelease` is called at the end of each call, with the most that it
   * held.
   */
  constructor(bytes: number, onRelease: (bytes: number) => void = () => {}) {
    this.#total = bytes;
    this.#onRelease = onRelease;
  }

  /** Bytes that bodies hold now. */
  get held(): number {
    return this.#held;
  }

  /** The share of one call, empty at first. `release` must be called when its bodies are no longer needed. */
  open(): BodyShare {
    let caller: string | undefined;
    let held = 0;
    let most = 0;
    let isOpen = true;
    return {
      get held() {
        return held;
      },
      belongTo: (who) => {
        this.#add(caller, -held);
        caller = who;
        this.#add(caller, held);
      },
      hold: (bytes) => {
        if (!isOpen) return;
        const wanted = Math.max(0, bytes - FREE_BYTES);
        if (wanted > held) this.#requireRoom(wanted, held, caller);
        this.#held += wanted - held;
        this.#add(caller, wanted - held);
        held = wanted;
        most = Math.max(most, held);
      },
      release: () => {
        isOpen = false;
        this.#held -= held;
        this.#add(caller, -held);
        held = 0;
        if (most > 0) this.#onRelease(most);
        most = 0;
      },
    };
  }

  #add(caller: string | undefined, bytes: number): void {
    if (caller === undefined || bytes === 0) return;
    const sum = (this.#heldBy.get(caller) ?? 0) + bytes;
    if (sum === 0) this.#heldBy.delete(caller);
    else this.#heldBy.set(caller, sum);
  }

  #requireRoom(wanted: number, held: number, caller: string | undefined): void {
    const most = Math.floor(this.#total * PART_OF_A_CALL);
    if (wanted > most) {
      throw new ServiceError(
        'PAYLOAD_TOO_LARGE',
        'The request needs more memory than the server gives to one request',
        {
          details: `at most ${most} bytes, three quarters of the server's setting --request-memory-mb`,
        },
      );
    }
    const own = caller === undefined ? 0 : (this.#heldBy.get(caller) ?? 0);
    const besides = Math.max(0, own - held);
    const share = Math.floor((this.#total - (this.#held - own)) * PART_OF_ONE);
    if (besides > 0 && besides + wanted > share) {
      throw new ServiceError(
        'RESOURCE_EXHAUSTED',
        'Your other large requests leave no room for this one; send it again when one of them has ended',
        { details: `at most ${share} bytes for all requests of one user at the moment`, retryAfterSeconds: 1 },
      );
    }
    if (this.#held - held + wanted <= this.#total) return;
    throw new ServiceError('UNAVAILABLE', 'The server is busy with other large requests; send this one again', {
      details: `at most ${this.#total} bytes for all requests together`,
      retryAfterSeconds: 1,
    });
  }
}

export interface BodyShare {
  /** Bytes that are counted for the call now. */
  readonly held: number;
  /** Sets the id of the user who calls. Without it only the total of all users bounds the call. */
  belongTo(caller: string | undefined): void;
  /**
   * Sets how many bytes the call holds in all. Throws RESOURCE_EXHAUSTED when the user holds too many in other calls,
   * UNAVAILABLE when all users together do, PAYLOAD_TOO_LARGE when the request can never fit. The call then still holds
   * what it held before.
   */
  hold(bytes: number): void;
  /** Releases everything. Later calls of `hold` do nothing. */
  release(): void;
}
