/**
 * A glob over the whole name as a pattern of SQL's `like`, whose escape character is the backslash too: `*` is any run,
 * `?` one character, `\` takes the next character as it is.
 * No name holds NUL, which PostgreSQL refuses even in a question, and none is empty.
 */
export function namePattern(glob: string): string {
  if (glob.includes('\0')) return '';
  let pattern = '';
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob.charAt(at);
    if (character === '*') pattern += '%';
    else if (character === '?') pattern += '_';
    else if (character === '\\' && at + 1 < glob.length) {
      at += 1;
      pattern += literal(glob.charAt(at));
    } else pattern += literal(character);
  }
  return pattern;
}

function literal(character: string): string {
  return character === '%' || character === '_' || character === '\\' ? `\\${character}` : character;
}
