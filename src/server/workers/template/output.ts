import type { Budget } from './budget.ts';
import { limitFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

/** Collects what a template, a macro or a filtered block prints. */
export class Output {
  readonly #budget: Budget;
  readonly #parts: string[] = [];
  #bytes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(text: string): void {
    this.#budget.makeText(text.length);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > TEMPLATE_LIMITS.outputBytes) {
      throw limitFailure(`The template prints more than ${TEMPLATE_LIMITS.outputBytes} bytes`);
    }
    this.#parts.push(text);
  }

  text(): string {
    return this.#parts.join('');
  }
}
