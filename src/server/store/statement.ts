import type { Statement } from './db.ts';

/** A statement with what `docs/sql.md` says of it. */
export interface DescribedStatement extends Statement {
  /** What it is for, as a sentence without its full stop. */
  readonly purpose: string;
}

const known = new Map<string, DescribedStatement>();

/**
 * A statement whose text is fixed, known by its name from now on. Two of one name would share a prepared plan that fits
 * only one of them, so that throws.
 */
export function statement(described: DescribedStatement): Statement {
  if (known.has(described.name)) throw new Error(`There are two statements of the name ${described.name}`);
  known.set(described.name, described);
  const { purpose: _purpose, ...plain } = described;
  return plain;
}

/** Every statement of the modules that are loaded, by name. */
export function statements(): readonly DescribedStatement[] {
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
