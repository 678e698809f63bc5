import type { PathStep } from '../../store/filter/ast.ts';
import { MAX_NESTING } from './limits.ts';
import { filterError } from './place.ts';
import type { Token } from './scanner.ts';
import { placeInString } from './strings.ts';

const NAME = /[\p{L}\p{M}\p{Nd}_-]+/uy;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const INDEX = /\[([0-9]+)\]/y;

/** PostgreSQL indexes array elements with 32 bits; no JSON array that it can store has an element with this index. */
const LAST_INDEX = 2_147_483_647;

/** The step of an array index with any number of digits. */
export function elementStep(digits: string): PathStep {
  return { kind: 'element', index: Math.min(Number(digits), LAST_INDEX) };
}

/** The steps of `$.name."any name"[0][*].*` in a string token. */
export function parsePath(token: Token, options: { wildcards: boolean }): PathStep[] {
  const text = token.value;
  const fail = (index: number, expected: string) => {
    const found = text[index] === undefined ? 'end of path' : `"${String.fromCodePoint(text.codePointAt(index) ?? 0)}"`;
    return filterError(placeInString(token.at, index), `expected ${expected} but found ${found}`);
  };
  if (text[0] !== '$') {
    throw fail(0, '"$" at the start of the path');
  }
  const steps: PathStep[] = [];
  let index = 1;
  while (index < text.length) {
    const { step, size } = readStep(text, index, fail);
    if (!options.wildcards && (step.kind === 'anyMember' || step.kind === 'anyElement')) {
      throw filterError(placeInString(token.at, index), 'the path of val cannot have a wildcard (that of exists can)');
    }
    if (steps.push(step) > MAX_NESTING) {
      throw filterError(placeInString(token.at, index), `a path may have at most ${MAX_NESTING} steps`);
    }
    index += size;
  }
  return steps;
}

type Fail = (index: number, expected: string) => Error;

function readStep(text: string, index: number, fail: Fail): { step: PathStep; size: number } {
  if (text.startsWith('[*]', index)) {
    return { step: { kind: 'anyElement' }, size: 3 };
  }
  if (text[index] === '[') {
    const [whole, digits] = matchAt(INDEX, text, index) ?? [];
    if (whole === undefined || digits === undefined) {
      const seen = /^[0-9]*/.exec(text.slice(index + 1))?.[0].length ?? 0;
      throw fail(index + 1 + seen, seen === 0 ? 'an index or "*"' : '"]"');
    }
    return { step: elementStep(digits), size: whole.length };
  }
  if (text[index] !== '.') {
    throw fail(index, '".", "[" or end of path');
  }
  const { step, size } = readMember(text, index + 1, fail);
  return { step, size: size + 1 };
}

function readMember(text: string, index: number, fail: Fail): { step: PathStep; size: number } {
  if (text[index] === '*') {
    return { step: { kind: 'anyMember' }, size: 1 };
  }
  if (text[index] === '"') {
    const [whole, content] = matchAt(QUOTED, text, index) ?? [];
    if (whole === undefined || content === undefined) {
      throw fail(text.length, `'"'`);
    }
    return { step: { kind: 'member', name: content.replace(/\\(["\\])/g, '$1') }, size: whole.length };
  }
  const name = matchAt(NAME, text, index)?.[0];
  if (name === undefined) {
    throw fail(index, 'a member name, a name in double quotes or "*"');
  }
  return { step: { kind: 'member', name }, size: name.length };
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}
