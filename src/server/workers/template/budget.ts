import { limitFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

const UNITS_PER_STEP = 64;

/** What is left of a template's allowance. Every method throws a `limit` failure once it is used up. */
export class Budget {
  #steps: number = TEMPLATE_LIMITS.steps;
  #text: number = TEMPLATE_LIMITS.textTotal;
  #depth = 0;

  spend(steps: number): void {
    this.#steps -= steps;
    // Written so that NaN, which nothing is below, ends the template too.
    if (!(this.#steps >= 0)) throw limitFailure('The template takes too many steps');
  }

  /** Work on existing text, e.g. a comparison or a search. */
  readText(length: number): void {
    this.spend(Math.ceil(length / UNITS_PER_STEP));
  }

  /** Called before a text of this length is made. */
  makeText(length: number): void {
    if (!(length <= TEMPLATE_LIMITS.textLength)) {
      throw limitFailure(`A text is longer than ${TEMPLATE_LIMITS.textLength} characters`);
    }
    this.readText(length);
    this.#text -= length;
    if (this.#text < 0) throw limitFailure('The template builds too much text');
  }

  /** Called before a list or a map with so many elements is made. */
  makeElements(count: number): void {
    if (!(count <= TEMPLATE_LIMITS.elements)) {
      throw limitFailure(`A list has more than ${TEMPLATE_LIMITS.elements} elements`);
    }
    this.spend(count);
  }

  /** One level deeper, until `leave`. A failure ends the whole template, so nothing has to leave after one. */
  enter(): void {
    if (this.#depth >= TEMPLATE_LIMITS.evaluationDepth) throw limitFailure('The template nests too deeply');
    this.spend(1);
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** `inside`, one level deeper. */
  deeper<T>(inside: () => T): T {
    this.enter();
    const result = inside();
    this.leave();
    return result;
  }
}
