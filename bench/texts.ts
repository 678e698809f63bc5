/** A small generator with a fixed seed (mulberry32), so that every run stores and asks the same. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES =
  'ba be bi bo ca ce ci co da de di do fa fe fi fo ga ge gi go la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  );

function word(next: () => number): string {
  // Squaring prefers early words, as texts do.
  const rank = Math.floor(next() ** 2 * 6000);
  const letters = [rank % 48, Math.floor(rank / 48) % 48, Math.floor(rank / 2304) % 48];
  return letters.map((index) => SYLLABLES[index] ?? '').join('');
}

/** A text of about so many characters. */
export function text(next: () => number, characters: number): string {
  const words: string[] = [];
  for (let length = 0; length < characters; length += (words.at(-1)?.length ?? 0) + 1) words.push(word(next));
  return `${words.join(' ')}.`;
}
