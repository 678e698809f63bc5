/**
 * Compact JSON text with line breaks and two spaces a level. It works on the text, because numbers beyond 2^53 would not
 * survive being parsed.
 */
export function indentJson(json: string, indent = ''): string {
  let text = '';
  let level = indent;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = stringEnd(json, at);
      text += json.slice(at, end);
      at = end - 1;
    } else if (character === '{' || character === '[') {
      const close = json.charAt(at + 1);
      if (close === '}' || close === ']') {
        text += character + close;
        at += 1;
      } else {
        level += '  ';
        text += `${character}\n${level}`;
      }
    } else if (character === '}' || character === ']') {
      level = level.slice(2);
      text += `\n${level}${character}`;
    } else if (character === ',') text += `,\n${level}`;
    else text += character === ':' ? ': ' : character;
  }
  return text;
}

/** The offset behind the closing quote of the string that opens at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Of the compact JSON text of an object the members with these names, in this order; null for those that it does not have.
 * It works on the text, because numbers beyond 2^53 would not survive being parsed.
 */
export function pickMembers(json: string, names: readonly string[]): string {
  const members = membersOf(json);
  return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name) ?? 'null'}`).join(',')}}`;
}

function membersOf(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (json.charAt(at) === '"') {
    const nameEnd = stringEnd(json, at);
    const end = valueEnd(json, nameEnd + 1);
    members.set(JSON.parse(json.slice(at, nameEnd)), json.slice(nameEnd + 1, end));
    at = end + 1;
  }
  return members;
}

/** The offset of the comma or bracket behind the value that begins at `start`. */
function valueEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') at = stringEnd(json, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (depth === 0 && (character === ',' || character === '}')) return at;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return json.length;
}
