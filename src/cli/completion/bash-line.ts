/** A line of bash up to the cursor. */
export interface BashLine {
  /** Without quotes; the last one is under the cursor. */
  readonly words: readonly string[];
  /** The last word as it was typed. */
  readonly raw: string;
  /** The quote that is still open at the cursor. */
  readonly quote: '"' | "'" | undefined;
}

/** Cuts a line into words as bash does, as far as plain words and quotes go. Nothing in it is ever executed. */
export function splitLine(line: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let start = line.length;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (quote === undefined && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (word === undefined) start = at;
    word ??= '';
    if (letter === quote) quote = undefined;
    else if (quote === undefined && (letter === '"' || letter === "'")) quote = letter;
    else if (letter === '\\' && escapes(line[at + 1], quote)) word += line[++at] ?? '';
    else word += letter;
  }
  return { words: [...words, word ?? ''], raw: word === undefined ? '' : line.slice(start), quote };
}

function escapes(next: string | undefined, quote: '"' | "'" | undefined): boolean {
  if (quote === "'") return false;
  return quote === undefined || (next !== undefined && '"\\$`'.includes(next));
}

/** The text so that bash reads it back as one word, or as the rest of a word whose quote is open. */
export function quoteFor(text: string, quote: '"' | "'" | undefined): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  // Between double quotes a `!` calls the history, and a backslash before it stays: it has to stand outside of them.
  if (quote === '"') return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', '"\\!"');
  return text.replace(/[^\w@%+=:,./-]/gu, (letter) => (/[\u0080-\u{10ffff}]/u.test(letter) ? letter : `\\${letter}`));
}
