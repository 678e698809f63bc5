import { embedLexical, type LexicalInputType } from './embed-lexical.ts';

export interface EmbedLexicalInput {
  texts: readonly string[];
  dimensions: number;
  inputType: LexicalInputType;
}

/** The vectors of all texts in one array, row by row: row i is values.subarray(i * dimensions, (i + 1) * dimensions). */
export function embedLexicalTask({ texts, dimensions, inputType }: EmbedLexicalInput): Float32Array {
  return embedLexical(texts, dimensions, inputType);
}
