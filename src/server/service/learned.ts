/** What earlier calls have learned, by key: at most so much, of which what is used stays. */
export class Learned<V> {
  readonly #most: number;
  readonly #weightOf: (value: V) => number;
  readonly #entries = new Map<string, { value: V; weight: number }>();
  #weight = 0;

  /** `most` is what all entries may weigh together; each weighs 1 unless `weightOf` says otherwise. */
  constructor(most: number, weightOf: (value: V) => number = () => 1) {
    this.#most = most;
    this.#weightOf = weightOf;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A Map keeps the order of insertion: what was used last comes last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    const weight = this.#weightOf(value);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
