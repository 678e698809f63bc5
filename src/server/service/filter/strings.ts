import { filterError, type Place } from './place.ts';

const ESCAPES: Record<string, string> = { "'": "'", '\\': '\\', n: '\n', r: '\r', t: '\t' };
const CONTROL = /\p{Cc}/u;

/** One character of a string literal: `size` UTF-16 units of the source stand for `value`. */
function stringCharacter(text: string, offset: number): { value: string; size: number } {
  const character = text[offset] ?? '';
  const follower = text[offset + 1] ?? '';
  if (character === "'" && follower === "'") {
    return { value: "'", size: 2 };
  }
  const escaped = character === '\\' ? ESCAPES[follower] : undefined;
  return escaped === undefined ? { value: character, size: 1 } : { value: escaped, size: 2 };
}

/** Reads the string literal whose opening quote is at `at`; `end` is the offset after its closing quote. */
export function scanString(at: Place): { value: string; end: number } {
  const { text } = at.source;
  let value = '';
  let offset = at.offset + 1;
  while (offset < text.length) {
    if (text[offset] === "'" && text[offset + 1] !== "'") {
      return { value, end: offset + 1 };
    }
    const character = stringCharacter(text, offset);
    if (CONTROL.test(text.slice(offset, offset + 1))) {
      throw filterError({ ...at, offset }, 'a string may not contain a raw control character (write \\n, \\r or \\t)');
    }
    value += character.value;
    offset += character.size;
  }
  throw filterError({ ...at, offset: text.length }, `expected "'" but found end of text`);
}

/** The position in the source of the unit `index` of a string's value; `at` is the opening quote. */
export function placeInString(at: Place, index: number): Place {
  let offset = at.offset + 1;
  for (let seen = 0; seen < index; seen += 1) {
    offset += stringCharacter(at.source.text, offset).size;
  }
  return { ...at, offset };
}
