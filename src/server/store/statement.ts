import type { Statement } from './db.ts';

/** A statement with its description in `docs/sql.md`. */
interface DescribedStatement extends Statement {
  /** What it is for, as a sentence without a period. */
  readonly purpose: string;
}

/** SQL for the SHA-256 of a text, in hexadecimal. */
export const digest = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

const known = new Map<string, DescribedStatement>();

/**
 * Registers a statement whose text is fixed. Throws for a duplicate name: two statements of one name would share a
 * prepared plan that fits only one of them.
 */
export function statement(described: DescribedStatement): Statement {
  if (known.has(described.name)) throw new Error(`Two statements have the name ${described.name}`);
  known.set(described.name, described);
  const { purpose: _purpose, ...plain } = described;
  return plain;
}

/** All registered statements, sorted by name. */
export function statements(): readonly DescribedStatement[] {
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
