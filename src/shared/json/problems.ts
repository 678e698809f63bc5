import type { ServiceError, Violation, ViolationReason } from '../errors.ts';
import { invalidFields } from '../errors.ts';
import { truncateCodePoints } from '../text.ts';

/** What is wrong with one value. `shape` marks an unknown name or a wrong JSON type, as against a value out of bounds. */
export class Problem {
  readonly text: string;
  readonly shape: boolean;
  readonly reason: ViolationReason | undefined;

  constructor(text: string, { shape = false, reason }: { shape?: boolean; reason?: ViolationReason } = {}) {
    this.text = text;
    this.shape = shape;
    this.reason = reason;
  }

  /** The problem as one of the field. */
  at(path: string): Violation {
    const { text: problem, reason } = this;
    return reason === undefined ? { path, problem } : { path, problem, reason };
  }
}

export function wrongType(text: string): Problem {
  return new Problem(text, { shape: true });
}

/**
 * The most problems that are reported of one request; a hostile one could otherwise cause an answer larger than itself.
 */
export const MAX_VIOLATIONS = 100;
const MAX_NAME = 100;

/** Collects the problems of a request for one error. */
export class Problems {
  readonly #violations: Violation[] = [];
  #shape = false;

  add(path: string, problem: Problem): void {
    this.#shape ||= problem.shape;
    if (this.#violations.length < MAX_VIOLATIONS) this.#violations.push(problem.at(path));
  }

  /** Throws INVALID_ARGUMENT if there is any: `Invalid JSON: …` when the shape is wrong, `Request has …` else. */
  throwIfAny(): void {
    const error = this.error();
    if (error !== undefined) throw error;
  }

  /** The error that `throwIfAny` would throw. */
  error(): ServiceError | undefined {
    if (this.#violations.length === 0) return undefined;
    return invalidFields(this.#violations, this.#shape ? { prefix: 'Invalid JSON' } : {});
  }
}

/** The path of a member; "" is the path of the body itself. */
export function memberPath(path: string, name: string): string {
  const shown = name.length > MAX_NAME ? `${truncateCodePoints(name, MAX_NAME)}…` : name;
  return path === '' ? shown : `${path}.${shown}`;
}
