import { MalformedAnswer } from './malformed-answer.ts';

/** A longer line or event is no token of an answer. */
const MAX_EVENT_CHARACTERS = 1_048_576;

/** Takes a stream of server-sent events apart as its bytes arrive, wherever they were cut. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #data: string[] = [];

  /** The data of every event that these bytes complete; comments and other fields are left out. */
  push(bytes: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The event that the end of the stream completes: not every server ends its last one with a blank line. */
  end(): string[] {
    return [...this.#take(`${this.#decoder.decode()}\n`), ...this.#dispatch()];
  }

  #take(text: string): string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_EVENT_CHARACTERS) throw new MalformedAnswer('an event without an end');
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line: string): string[] {
    if (line === '') return this.#dispatch();
    const value = /^data(?:: ?|$)(.*)/.exec(line)?.[1];
    if (value !== undefined) this.#data.push(value);
    return [];
  }

  #dispatch(): string[] {
    if (this.#data.length === 0) return [];
    const data = this.#data.join('\n');
    this.#data = [];
    return [data];
  }
}
