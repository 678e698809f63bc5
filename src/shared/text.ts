/** Unicode code points of a string; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  return text.length - surrogatePairs(text, 0, text.length);
}

/** Code points between two UTF-16 offsets that both lie on code point boundaries. */
export function codePointsBetween(text: string, start: number, end: number): number {
  return end - start - surrogatePairs(text, start, end);
}

/** The first `limit` code points, the text itself when it has no more. */
export function truncateCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let left = limit; left > 0 && end < text.length; left -= 1) end += isPairAt(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** Whether a surrogate pair starts at this UTF-16 offset. */
export function isPairAt(text: string, offset: number): boolean {
  return (text.charCodeAt(offset) & 0xfc00) === 0xd800 && (text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00;
}

function surrogatePairs(text: string, start: number, end: number): number {
  let pairs = 0;
  for (let offset = start; offset < end - 1; offset += 1) {
    if ((text.charCodeAt(offset) & 0xfc00) === 0xd800 && isPairAt(text, offset)) {
      pairs += 1;
      offset += 1;
    }
  }
  return pairs;
}
