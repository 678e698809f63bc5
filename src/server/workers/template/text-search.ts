/**
 * Where `wanted` stands in a text, first to last, without overlaps, at most `most` places. Reads each text once,
 * whatever is in them (Knuth, Morris and Pratt): the search of JavaScript strings takes hours for a text and a wanted
 * text of a million equal characters each, in machine code that no deadline interrupts.
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

/** Of each beginning of the text: the length of the longest shorter beginning that it ends with. */
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
