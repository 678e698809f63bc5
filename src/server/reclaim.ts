import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less than this may wait until the engine collects by itself: what a server keeps at most of the last large request. */
const WORTHWHILE_BYTES = 32 * 1024 * 1024;
const QUIET_MS = 2000;

/**
 * Gives the memory of large requests back to the system once they are answered. The engine collects when something new is
 * allocated, so that a server with nothing to do keeps what it took: 2 GB after one burst, for hours. A collection costs
 * about 100 ms in a server at rest, and none is made while large requests keep coming.
 */
export class Reclaim {
  readonly #collect: () => void;
  #released = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(collect: () => void = collectGarbage) {
    this.#collect = collect;
  }

  /** So many bytes of a request are of no more use. */
  released(bytes: number): void {
    this.#released += bytes;
    if (this.#released < WORTHWHILE_BYTES) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#released = 0;
      this.#collect();
    }, QUIET_MS).unref();
  }
}

/** Contexts that are made after the flag is set have the function; those that are there stay as they are. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
