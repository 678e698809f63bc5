/**
 * Cuts inputs to a model's sequence length by an estimate of its tokens. The model's own tokenizer is not known here,
 * and running another one (o200k) over every text costs more than the call saves. The estimate errs toward more tokens
 * than common tokenizers make of prose, so that a cut input is accepted: of English it keeps about three quarters of
 * what o200k would let through.
 */

/** Characters of one class that share a token when they follow each other. */
const SPAN = { ascii: 4, digit: 2, letter: 2, single: 1, space: 8 } as const;
type CharacterClass = keyof typeof SPAN;

/** What models add around an input. */
const SPECIAL_TOKENS = 2;

/** The longest beginning of the text within the estimate, whole code points; the text itself when it fits. */
export function cutToTokens(text: string, maxTokens: number): string {
  const budget = Math.max(1, maxTokens - SPECIAL_TOKENS);
  let tokens = 0;
  let run = 0;
  let before: CharacterClass | undefined;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const kind = classOf(code);
    // A capital letter starts a new piece: camelCase and base64 fall apart there.
    run = kind === before && !(code >= 0x41 && code <= 0x5a) ? run + 1 : 0;
    tokens += costOf(code, kind, run);
    // A blank belongs to the word behind it, but not to a number.
    if (kind === 'digit' && before === 'space') tokens++;
    if (tokens > budget) return text.slice(0, at);
    before = kind;
    at += code > 0xffff ? 2 : 1;
  }
  return text;
}

function costOf(code: number, kind: CharacterClass, run: number): number {
  // Emoji and rare scripts come in bytes.
  if (code > 0xffff) return 3;
  if (kind === 'space') return run % SPAN.space === 1 ? 1 : 0;
  return run % SPAN[kind] === 0 ? 1 : 0;
}

function classOf(code: number): CharacterClass {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return 'space';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) return 'ascii';
  if (code < 0xc0) return 'single';
  // From the Indic scripts on, CJK and Hangul among them, a character is up to a token.
  return code < 0x0900 ? 'letter' : 'single';
}
