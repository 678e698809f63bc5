import { informationOf } from './commonness.ts';
import { hashString } from './hash.ts';
import { stem } from './stem.ts';

/** How much each kind of feature counts beside the stem of a word, which counts 1. */
export interface FeatureWeights {
  /** The word as it stands, accents included. */
  exact: number;
  /** All its character n-grams together. */
  grams: number;
  gramSizes: readonly number[];
  /** Exponent on the information of a word: 0 treats all words alike. */
  information: number;
}

/** The features of one word: 32-bit hashes and what each contributes. */
export interface WordFeatures {
  /** Hash of the stem, for pairs of words. */
  stem: number;
  /** 0 to 1. */
  information: number;
  hashes: Int32Array;
  values: Float32Array;
}

const STEM = 1;
const EXACT = 2;
const GRAM = 3;

export function featuresOf(word: string, weights: FeatureWeights): WordFeatures {
  const plain = withoutMarks(word);
  const stemmed = stem(plain);
  const information = Math.max(0.01, informationOf(word, stemmed)) ** weights.information;
  const hashes = [hashString(stemmed, STEM), hashString(word, EXACT)];
  const values = [information, information * weights.exact];
  const grams = gramHashes(plain, weights.gramSizes);
  // Spread over the grams so that a long word is not louder than a short one.
  const each = (information * weights.grams) / Math.sqrt(grams.length);
  for (const hash of grams) {
    hashes.push(hash);
    values.push(each);
  }
  return { stem: hashes[0] ?? 0, information, hashes: Int32Array.from(hashes), values: Float32Array.from(values) };
}

/** Grams of the word between its two ends, so that beginnings and endings differ from middles. */
function gramHashes(word: string, sizes: readonly number[]): number[] {
  const framed = `<${word}>`;
  const hashes: number[] = [];
  for (const size of sizes) {
    for (let at = 0; at + size <= framed.length; at += 1) hashes.push(hashString(framed, GRAM, at, at + size));
  }
  return hashes;
}

/** Without accents, which people leave out when they type a question. */
function withoutMarks(word: string): string {
  if (/^[\x20-\x7e]*$/.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .normalize('NFC');
}
