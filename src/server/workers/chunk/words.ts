const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Dictionaries are asked about this much at once: a text without any space costs no more per character than others. */
const BLOCK = 4096;

/** Word boundaries of a slice, for scripts that put no space between words. */
export function* cutAtWords(slice: string): Generator<number> {
  for (let from = 0; from < slice.length; from += BLOCK) {
    for (const { index } of segmenter.segment(slice.slice(from, from + BLOCK))) {
      if (from + index > 0) yield from + index;
    }
  }
}
