import type { ErrorCode } from '../../shared/errors.ts';

/** What a caller is told when a write breaks a constraint of the schema. */
export interface ConstraintRule {
  readonly code: ErrorCode;
  /** A sentence; it names no value, since the database does not hand values back in a reliable form. */
  readonly message: string;
}

/**
 * One row per UNIQUE, CHECK or FOREIGN KEY constraint that a request can break, by its name in the migrations: the
 * database decides, so there is no race between looking and writing. Constraints without a row get a general sentence.
 */
export const CONSTRAINTS: ReadonlyMap<string, ConstraintRule> = new Map<string, ConstraintRule>([]);
