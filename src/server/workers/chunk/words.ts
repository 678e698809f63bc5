const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The segmenter copies its whole input for every word, so it is given small blocks. */
const BLOCK = 512;

/** Word boundaries of a slice, for scripts that put no space between words. A word longer than a block has none inside. */
export function* cutAtWords(slice: string): Generator<number> {
  for (let from = 0; from < slice.length; ) {
    const block = slice.slice(from, from + BLOCK);
    let last = 0;
    for (const { index } of segmenter.segment(block)) {
      if (index > 0) yield from + index;
      last = index;
    }
    // The last word may go on behind the block: it is looked at again with what follows.
    from += last > 0 ? last : block.length;
  }
}
