import type { PathStep, ReadType } from './ast.ts';

/**
 * The condition under which a value is read as a type. In strict mode a filter is applied to an array as a whole, and a
 * comparison of different JSON types is unknown, which drops the value: no later cast gets a type that it cannot handle.
 */
const ACCEPTED: Record<ReadType, string> = {
  TEXT: '@.type() == "string"',
  DATE: '@.type() == "string"',
  TIMESTAMP: '@.type() == "string"',
  NUMERIC: '@.type() == "number" || @.type() == "string"',
  INTEGER: '@.type() == "number" || @.type() == "string"',
  BOOLEAN: '@.type() == "boolean" || @ == "true" || @ == "false"',
  SCALAR: '@.type() == "string" || @.type() == "number" || @.type() == "boolean"',
  ARRAY: '@.type() == "array"',
  ELEMENTS: '@.type() != "object" && @.type() != "null"',
};

/** The jsonpath of a value. A step into the wrong kind of value is an error, which the `silent` argument turns into NULL. */
export function readPath(path: readonly PathStep[], as: ReadType): string {
  return `strict $${path.map(step).join('')} ? (${ACCEPTED[as]})`;
}

/**
 * The jsonpath that matches if a value exists at `path`. After a wildcard each step is guarded: in strict mode one element
 * without the member would fail the whole path, and lax mode would unwrap arrays that the path does not name.
 */
export function existsPath(path: readonly PathStep[]): string {
  const firstWildcard = path.findIndex(({ kind }) => kind === 'anyMember' || kind === 'anyElement');
  return `strict $${path.map((each, at) => (firstWildcard >= 0 && at > firstWildcard ? guarded(each) : step(each))).join('')}`;
}

function step(each: PathStep): string {
  switch (each.kind) {
    case 'member':
      return `.${JSON.stringify(each.name)}`;
    case 'element':
      return `[${each.index}]`;
    case 'anyMember':
      return '.*';
    case 'anyElement':
      return '[*]';
  }
}

function guarded(each: PathStep): string {
  switch (each.kind) {
    case 'anyMember':
      return ' ? (@.type() == "object").*';
    case 'anyElement':
      return ' ? (@.type() == "array")[*]';
    default:
      return ` ? (exists(@${step(each)}))${step(each)}`;
  }
}
