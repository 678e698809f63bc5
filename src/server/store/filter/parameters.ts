/** Collects the values of a statement. Whatever came out of a filter's text goes through here and never into the statement. */
export class Parameters {
  readonly values: unknown[] = [];
  readonly #first: number;

  /** `first` is the number of the first parameter, from 1. */
  constructor(first: number) {
    this.#first = first;
  }

  /** The placeholder of `value` with its SQL type, e.g. `$3::text`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.#first + this.values.length - 1}::${type}`;
  }
}
