import { segments } from '../../shared/text.ts';

/** Words that hold an English sentence together and say nothing of what it is about. */
const FUNCTION_WORDS = new Set(
  `a about all am an and any are as at be been but by can could did do does for from had has have he her his how i if in
   into is it its me my no not of on or our she should so than that the their them then there these they this those to
   us was we were what when where which who whom whose why will with would you your`.split(/\s+/),
);

/** `serviced` and `service` are one word, `car` and `care` are two. */
const SHORTEST_STEM = 4;
const LONGEST_ENDING = 3;

/** A chunk may have 100,000 characters, and a card shows three lines. */
const MOST_SEARCHED = 20_000;

/** The best sentence of a text for a question: UTF-16 places in the text, the end exclusive. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
  /** Where the first word of the question stands. */
  readonly firstMatch: number;
}

/** The words of a question that a text can be searched for; of a question of function words alone, these. */
export function questionWords(question: string): readonly string[] {
  const words = [...new Set([...wordsOf(question)].map(({ word }) => word))];
  const content = words.filter((word) => !FUNCTION_WORDS.has(word));
  return content.length > 0 ? content : words;
}

/** A text in order, the words that also stand in the question by themselves. */
export function markedParts(text: string, question: readonly string[]): { text: string; isMatch: boolean }[] {
  const parts: { text: string; isMatch: boolean }[] = [];
  let end = 0;
  for (const { word, index, length } of wordsOf(text)) {
    if (!question.some((wanted) => isSameWord(wanted, word))) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isMatch: false });
    end = index + length;
    parts.push({ text: text.slice(index, end), isMatch: true });
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end), isMatch: false });
  return parts;
}

/**
 * The sentence that holds most of the question, where a word counts the less the more sentences have it; the first of
 * equals. Undefined when no sentence has a word of it.
 */
export function bestSentence(text: string, question: readonly string[]): Sentence | undefined {
  const found = [...segments(text.slice(0, MOST_SEARCHED), 'sentence')]
    .map(({ segment, index }) => ({
      start: index,
      end: index + segment.length,
      ...matchesIn(segment, index, question),
    }))
    .filter(({ matched }) => matched.size > 0);
  const sentencesWith = new Map<string, number>();
  for (const { matched } of found) {
    for (const word of matched) sentencesWith.set(word, (sentencesWith.get(word) ?? 0) + 1);
  }
  const weigh = ({ matched }: { matched: ReadonlySet<string> }): number =>
    [...matched].reduce((sum, word) => sum + 1 / (sentencesWith.get(word) ?? 1), 0);
  const best = found.reduce<(typeof found)[number] | undefined>(
    (top, each) => (top === undefined || weigh(each) > weigh(top) ? each : top),
    undefined,
  );
  return best && { start: best.start, end: best.end, firstMatch: best.firstMatch };
}

function matchesIn(sentence: string, offset: number, question: readonly string[]) {
  const matched = new Set<string>();
  let firstMatch = offset;
  for (const { word, index } of wordsOf(sentence)) {
    const wanted = question.find((each) => isSameWord(each, word));
    if (wanted === undefined) continue;
    if (matched.size === 0) firstMatch = offset + index;
    matched.add(wanted);
  }
  return { matched, firstMatch };
}

/** Words without case and accents, with their places in the text. */
function* wordsOf(text: string): Generator<{ word: string; index: number; length: number }> {
  for (const { segment, index, isWordLike } of segments(text, 'word')) {
    if (isWordLike !== true) continue;
    const word = segment
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase();
    yield { word, index, length: segment.length };
  }
}

function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const stem = Math.max(SHORTEST_STEM, Math.max(a.length, b.length) - LONGEST_ENDING);
  return a.length >= stem && b.length >= stem && a.slice(0, stem) === b.slice(0, stem);
}
