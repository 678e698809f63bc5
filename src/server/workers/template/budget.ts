import { limitFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

const UNITS_PER_STEP = 64;

/** The remaining budget of a template. Every method throws a `limit` failure when it is exhausted. */
export class Budget {
  #steps: number = TEMPLATE_LIMITS.steps;
  #text: number = TEMPLATE_LIMITS.textTotal;
  #depth = 0;

  spend(steps: number): void {
    this.#steps -= steps;
    // Negated, so that NaN aborts the template too.
    if (!(this.#steps >= 0)) throw limitFailure('The template takes too many steps');
  }

  /** Spends the work on an existing string, e.g. a comparison or a search. */
  readText(length: number): void {
    this.spend(Math.ceil(length / UNITS_PER_STEP));
  }

  /** To be called before a string of this length is created. */
  makeText(length: number): void {
    if (!(length <= TEMPLATE_LIMITS.textLength)) {
      throw limitFailure(`A string is longer than ${TEMPLATE_LIMITS.textLength} characters`);
    }
    this.readText(length);
    this.#text -= length;
    if (this.#text < 0) throw limitFailure('The template builds too much text');
  }

  /** To be called before a list or a map with this many elements is created. */
  makeElements(count: number): void {
    if (!(count <= TEMPLATE_LIMITS.elements)) {
      throw limitFailure(`A list has more than ${TEMPLATE_LIMITS.elements} elements`);
    }
    this.spend(count);
  }

  /** One level deeper, until `leave`. After a failure, which aborts the whole template, `leave` is not needed. */
  enter(): void {
    if (this.#depth >= TEMPLATE_LIMITS.evaluationDepth) throw limitFailure('The template nests too deeply');
    this.spend(1);
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Runs `inside` one level deeper. */
  deeper<T>(inside: () => T): T {
    this.enter();
    const result = inside();
    this.leave();
    return result;
  }
}
