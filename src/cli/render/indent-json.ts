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
export function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
