export type LexicalInputType = 'query' | 'document';

/** Unit vectors of the texts, row after row in one array of texts.length × dimensions. */
export function embedLexical(texts: readonly string[], dimensions: number, _inputType: LexicalInputType): Float32Array {
  const values = new Float32Array(texts.length * dimensions);
  for (const [row, text] of texts.entries()) {
    const vector = values.subarray(row * dimensions, (row + 1) * dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [' ']) {
      let hash = 0;
      for (let at = 0; at < word.length; at += 1) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) >>> 0;
      const position = hash % dimensions;
      vector[position] = (vector[position] ?? 0) + 1;
    }
    const norm = Math.hypot(...vector);
    for (const [index, value] of vector.entries()) vector[index] = value / norm;
  }
  return values;
}
