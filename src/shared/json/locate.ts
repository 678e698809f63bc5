const TOKEN =
  /[ \t\n\r]*(?:([{}[\]:,])|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** What may come next: a value, a value or `]`, a name, a name or `}`, a colon, a comma or the closing bracket, the end. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or closing bracket' | 'end of text';

const WORDS: Readonly<Record<Expected, string>> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes or "}"',
  ':': '":"',
  ', or closing bracket': '"," or the closing bracket',
  'end of text': 'the end of the text',
};

/** Longer text is not walked again just to say where: at 64 MB that took seconds of the event loop. */
const MAX_LENGTH = 1 << 20;

/**
 * Where JSON text breaks and what was expected there, for text that JSON.parse refused: its own messages name a position only
 * sometimes, and quote the text, which may hold a secret. `isLine`: the text is a line of others, and its column is enough.
 */
export function locateJsonError(text: string, isLine = false): string {
  if (text.length > MAX_LENGTH) return 'the text does not parse';
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let position = 0;
  for (;;) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    const next: Expected | undefined = match === null ? undefined : follow(match, expected, open);
    if (match === null || next === undefined) break;
    expected = next;
    position = TOKEN.lastIndex;
  }
  while (/[ \t\n\r]/.test(text.charAt(position))) position += 1;
  const found = position >= text.length ? 'unexpected end of text' : 'unexpected character';
  return `${found} at ${placeOf(text, position, isLine)} (expected ${WORDS[expected]})`;
}

/** Where JSON text names a member of an object for the second time. The text must be one that parses and has such a place. */
export function locateRepeatedName(text: string, isLine = false): string {
  const sentence = 'an object names a member twice';
  if (text.length > MAX_LENGTH) return sentence;
  const open: (Set<string> | undefined)[] = [];
  let string: { at: number; text: string } | undefined;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, mark, quoted] = match;
    if (quoted !== undefined) string = { at: TOKEN.lastIndex - quoted.length, text: quoted };
    else if (mark === '{' || mark === '[') open.push(mark === '{' ? new Set() : undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ':' && string !== undefined) {
      const name = JSON.parse(string.text) as string;
      if (open.at(-1)?.has(name) === true) return `${sentence}, at ${placeOf(text, string.at, isLine)}`;
      open.at(-1)?.add(name);
    }
  }
  return sentence;
}

function placeOf(text: string, position: number, isLine: boolean): string {
  const before = text.slice(0, position);
  if (isLine) return `column ${position + 1}`;
  return `line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`;
}

/** Takes one token; `undefined` when it may not stand here. */
function follow(match: RegExpExecArray, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const [, mark, string, literal] = match;
  const takesValue = expected === 'value' || expected === 'value or ]';
  if (literal !== undefined) return takesValue ? afterValue(open) : undefined;
  if (string !== undefined) {
    if (expected === 'name' || expected === 'name or }') return ':';
    return takesValue ? afterValue(open) : undefined;
  }
  if (mark === '{' || mark === '[') {
    if (!takesValue) return undefined;
    open.push(mark);
    return mark === '{' ? 'name or }' : 'value or ]';
  }
  if (mark === ':') return expected === ':' ? 'value' : undefined;
  const inside = open.at(-1);
  if (mark === ',') {
    if (expected !== ', or closing bracket') return undefined;
    return inside === '{' ? 'name' : 'value';
  }
  return close(mark === '}' ? '{' : '[', expected, open);
}

function close(opening: '{' | '[', expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const emptyForm = opening === '{' ? 'name or }' : 'value or ]';
  if (open.at(-1) !== opening || (expected !== ', or closing bracket' && expected !== emptyForm)) return undefined;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end of text' : ', or closing bracket';
}
