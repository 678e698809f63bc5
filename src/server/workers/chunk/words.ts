const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The segmenter copies its whole input for every word, so it is given small blocks. */
const BLOCK = 512;

/** Word boundaries of a slice, for scripts that put no space between words. */
export function* cutAtWords(slice: string): Generator<number> {
  for (let from = 0; from < slice.length; from += BLOCK) {
    for (const { index } of segmenter.segment(slice.slice(from, from + BLOCK))) {
      if (from + index > 0) yield from + index;
    }
  }
}
