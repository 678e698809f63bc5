import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less than this is left to the garbage collector: the most that a server keeps of the last large requests. */
const WORTHWHILE_BYTES = 32 * 1024 * 1024;
const QUIET_MS = 2000;

/**
 * Gives the memory of large requests back to the operating system once they are answered. V8 collects garbage when
 * something new is allocated, so that an idle server keeps what it took: 2 GB after one burst, for hours. A collection
 * costs about 100 ms in a server at rest, and none is made while large requests keep coming.
 */
export class Reclaim {
  readonly #collect: () => void;
  #released = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(collect: () => void = collectGarbage) {
    this.#collect = collect;
  }

  /** Bytes of a request are no longer used. */
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

/** Only contexts created after the flag is set have the function. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
