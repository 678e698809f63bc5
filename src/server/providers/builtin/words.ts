/** A run of letters and digits, a run of ideographs or Thai (no spaces between words there), or a pictograph. */
const TOKEN =
  /(?<run>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{1,64})|(?<word>(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}]){1,64})|\p{Extended_Pictographic}/gu;

/** The same for text that is ASCII only, which is several times faster. */
const ASCII_TOKEN = /[A-Za-z0-9]{1,64}/g;

/** Seams inside an identifier: getUserName, HTTPServer, utf8Name. */
const CASE_SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

interface Word {
  text: string;
  /** Part of an identifier that is there as a whole too, or one character of an unspaced script. */
  isPart: boolean;
}

/**
 * The words of a text in their order, in lower case and compatibility form (ﬁ is fi, Ａ is a). Text of scripts
 * without spaces comes as overlapping pairs of characters, an identifier as its parts and as a whole.
 */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  if (/^\p{ASCII}*$/u.test(text)) {
    for (const [token] of text.replace(/(?<=[A-Za-z])'(?:s\b)?/g, '').matchAll(ASCII_TOKEN)) addWord(token, words);
    return words.length > 0 ? words : symbolsOf(text);
  }
  const normal = text.normalize('NFKC').replace(/(?<=\p{L})['’](?:s\b)?/gu, '');
  for (const { 0: token, groups } of normal.matchAll(TOKEN)) {
    if (groups?.run !== undefined) addRun(token, words);
    else addWord(token, words);
  }
  return words.length > 0 ? words : symbolsOf(text);
}

/** A text of only punctuation can still be searched for. */
function symbolsOf(text: string): Word[] {
  return Array.from(text.replace(/\s+/g, '').slice(0, 256), (character) => ({ text: character, isPart: false }));
}

function addWord(token: string, words: Word[]): void {
  // The test is cheap and nearly always says no; splitting is not.
  const parts = /.\p{Lu}/u.test(token) && /\p{Ll}/u.test(token) ? token.split(CASE_SEAM) : [];
  if (parts.length > 1) for (const part of parts) words.push({ text: folded(part), isPart: true });
  words.push({ text: folded(token), isPart: false });
}

function addRun(run: string, words: Word[]): void {
  const characters = Array.from(run);
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    if (next !== undefined) words.push({ text: character + next, isPart: false });
    words.push({ text: character, isPart: characters.length > 1 });
  }
}

function folded(token: string): string {
  return token.toLowerCase().replaceAll('ß', 'ss');
}
