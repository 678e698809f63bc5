import type { Value } from './value.ts';

/** Variables, and those around them. A macro's scope has nothing around it. */
export class Scope {
  readonly #around: Scope | undefined;
  readonly #names: Map<string, Value>;

  constructor(around: Scope | undefined, names: Map<string, Value>) {
    this.#around = around;
    this.#names = names;
  }

  find(name: string): Value {
    const owner = this.#owner(name);
    return owner === undefined ? null : (owner.#names.get(name) ?? null);
  }

  /** Here, whatever is around. */
  declare(name: string, value: Value): void {
    this.#names.set(name, value);
  }

  /** Where the name is known already, else here: a loop can add to a variable that was set before it. */
  assign(name: string, value: Value): void {
    (this.#owner(name) ?? this).declare(name, value);
  }

  #owner(name: string): Scope | undefined {
    if (this.#names.has(name)) return this;
    return this.#around === undefined ? undefined : this.#around.#owner(name);
  }
}
