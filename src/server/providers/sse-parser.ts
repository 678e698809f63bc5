import { MalformedAnswer } from './errors.ts';

/** A longer line or event is no token of an answer. */
const MAX_EVENT_CHARACTERS = 1_048_576;

/** Takes a stream of server-sent events apart as its bytes arrive, wherever they were cut. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #data: string[] = [];
  /** Of the data so far. */
  #characters = 0;

  /** The data of every event that these bytes complete; comments and other fields are left out. */
  push(bytes: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The event that the end of the stream completes: not every server ends its last one with a blank line. */
  end(): string[] {
    return [...this.#take(`${this.#decoder.decode()}\n`), ...this.#dispatch()];
  }

  /** Looks at what is new alone: a line may come in a million parts. */
  #take(text: string): string[] {
    const [end = '', ...others] = text.split('\n');
    this.#rest += end;
    const lines = others.length === 0 ? [] : [this.#rest, ...others.slice(0, -1)];
    this.#rest = others.at(-1) ?? this.#rest;
    bound(this.#rest.length);
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line: string): string[] {
    if (line === '') return this.#dispatch();
    // Only CR and LF end a line here; JSON may hold the separators of Unicode as they are.
    const value = /^data(?:: ?|$)(.*)/s.exec(line)?.[1];
    if (value === undefined) return [];
    this.#data.push(value);
    this.#characters += value.length;
    bound(this.#characters);
    return [];
  }

  #dispatch(): string[] {
    if (this.#data.length === 0) return [];
    const data = this.#data.join('\n');
    this.#data = [];
    this.#characters = 0;
    return [data];
  }
}

function bound(characters: number): void {
  if (characters > MAX_EVENT_CHARACTERS) throw new MalformedAnswer('an event without an end');
}
