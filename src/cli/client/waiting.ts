import type { Io } from '../io.ts';
import { durationText } from '../render/duration-text.ts';
import { ProgressLine } from '../render/progress-line.ts';
import type { Client } from './client.ts';

/** People take what is answered within this time for immediate. */
const SILENT_MS = 300;
const TICK_MS = 1000;

/** Says on stderr, where a line can be redrawn, that the server has not answered yet, and for how long. */
export class Waiting {
  readonly #line: ProgressLine;
  readonly #authority: string;
  /** Calls under way: several may wait at once. */
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(io: Pick<Io, 'stderr' | 'redraws' | 'width'>, authority: string) {
    this.#line = new ProgressLine(io);
    this.#authority = authority;
  }

  /** Does the work; the line is gone when it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    if (this.#count === 1) this.#start(performance.now());
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        clearTimeout(this.#timer);
        await this.#line.clear();
      }
    }
  }

  #start(since: number): void {
    const show = (): void => {
      const seconds = Math.floor((performance.now() - since) / 1000) * 1000;
      const elapsed = seconds === 0 ? '' : ` ${durationText(seconds)}`;
      void this.#line.show(`Waiting for ${this.#authority} …${elapsed}`).catch(() => {});
      this.#timer = setTimeout(show, TICK_MS);
    };
    this.#timer = setTimeout(show, SILENT_MS);
  }
}

/**
 * The client, whose calls are waited for in sight. Those with a signal of their own belong to work that shows by itself how
 * far it is; so do streams where there is a screen.
 */
export function waitedFor(client: Client, waiting: Waiting, { hasScreen }: { hasScreen: boolean }): Client {
  return {
    authority: client.authority,
    call: (method, request, options) => {
      const call = () => client.call(method, request, options);
      return options?.signal === undefined ? waiting.during(call) : call();
    },
    stream: (method, request, options) => {
      const events = client.stream(method, request, options);
      return options?.signal === undefined && !hasScreen ? untilFirst(events, waiting) : events;
    },
    duplex: (method, options) => client.duplex(method, options),
    close: () => client.close(),
  };
}

async function* untilFirst<T>(events: AsyncIterable<T>, waiting: Waiting): AsyncGenerator<T> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    let next = await waiting.during(() => iterator.next());
    for (; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
