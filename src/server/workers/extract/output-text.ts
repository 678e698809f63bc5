import { codePointLength } from '../../../shared/text.ts';
import { ExtractionError } from '../errors.ts';

/** Collects extracted text, without NUL characters, up to a limit. */
export class OutputText {
  /** Most code points. */
  readonly limit: number;
  readonly #pieces: string[] = [];
  #open = '';
  #characters = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isEmpty(): boolean {
    return this.#characters === 0;
  }

  append(text: string): void {
    const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
    this.#characters += codePointLength(clean);
    if (this.#characters > this.limit) {
      throw new ExtractionError(`Text limit exceeded: extraction.outputCharacters (${this.limit})`);
    }
    this.#open += clean;
    // Each concatenated short string costs 32 bytes until the whole is flattened, so flatten early.
    if (this.#open.length >= 65_536) this.#pieces.push(this.#takeOpen());
  }

  toString(): string {
    this.#pieces.push(this.#takeOpen());
    return this.#pieces.join('');
  }

  #takeOpen(): string {
    const open = this.#open;
    this.#open = '';
    return open;
  }
}
