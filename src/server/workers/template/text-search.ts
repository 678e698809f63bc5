/**
 * The first `most` positions of `wanted` in a text, ascending and without overlaps. Takes linear time (Knuth, Morris and
 * Pratt): the built-in search takes hours if both strings are a million equal characters, in native code that no timeout
 * interrupts.
 */
export function placesOf(text: string, wanted: string, most: number): number[] {
  const places: number[] = [];
  if (wanted.length === 0 || wanted.length > text.length) return places;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length && places.length < most; at += 1) {
    const char = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== char) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === char) matched += 1;
    if (matched < wanted.length) continue;
    places.push(at + 1 - matched);
    matched = 0;
  }
  return places;
}

/** For each prefix of the text: the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== char) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(length) === char) length += 1;
    borders[at] = length;
  }
  return borders;
}
