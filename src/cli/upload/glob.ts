/** Whether a path that does not exist may be meant as a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** The folder in front of the first wildcard, from which a pattern is walked: `docs/**` → `docs`. */
export function globBase(pattern: string): string {
  const fixed: string[] = [];
  for (const part of pattern.split('/').slice(0, -1)) {
    if (isGlob(part)) break;
    fixed.push(part);
  }
  const base = fixed.join('/');
  return base === '' ? (pattern.startsWith('/') ? '/' : '.') : base;
}

/**
 * A pattern as a regular expression over whole paths: `*` and `?` stay within a folder, `**` crosses folders, `[a-c]` and
 * `[!a]` are sets, `{a,b}` are alternatives.
 */
export function globPattern(pattern: string): RegExp {
  let source = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (pattern.startsWith('**/', at)) {
      source += '(?:[^/]+/)*';
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end === -1) source += '\\[';
      else {
        source += setOf(pattern.slice(at + 1, end));
        at = end;
      }
    } else if (character === '{') {
      depth += 1;
      source += '(?:';
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      source += ')';
    } else source += character === ',' && depth > 0 ? '|' : character.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u');
}

function setOf(inner: string): string {
  const negated = inner.startsWith('!') || inner.startsWith('^');
  const members = (negated ? inner.slice(1) : inner).replace(/[\\\]^[]/g, '\\$&');
  return negated ? `[^/${members}]` : `[${members}]`;
}
