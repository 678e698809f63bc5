import { scaleToUnit } from '../embedders/rows.ts';
import { informationOf, isAsking, isCommon } from './commonness.ts';
import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

type LexicalInputType = 'query' | 'document';

interface LexicalWeights extends FeatureWeights {
  /** Two adjacent words that carry information, as a pair. */
  pair: number;
  /** Part of an identifier, relative to a word. */
  part: number;
  /** What is left of an asking word in a query. */
  asking: number;
  /** Saturation of repeated words in a document: n counts n * (k + 1) / (n + k). */
  saturation: number;
  /** Positions of the vector that one feature adds to. */
  positions: number;
}

/**
 * Chosen by numbers: 60 questions to the passages of test/unit/server/providers/builtin/corpus.fixture.ts among 3,046
 * excerpts of manuals, the same questions with a misspelled word, and 126 bags of half the words of an excerpt. Sums of
 * the three mean reciprocal ranks at 1024 dimensions: these weights 2.77; no grams 2.54; grams of 3 alone 2.75, of 4
 * and 5
 * 2.67, of 2 to 4 2.67; information 1.4 2.65; no saturation 2.65; one position 2.63, three 2.71. Differences below 0.02
 * are noise.
 */
const WEIGHTS: LexicalWeights = {
  exact: 0.1,
  grams: 1,
  gramSizes: [3, 4],
  information: 0.7,
  pair: 0.15,
  part: 0.5,
  asking: 0.2,
  saturation: 0.5,
  positions: 2,
};

/** With the places of each feature: as many as `positions`, one feature after the other. */
interface PlacedFeatures extends WordFeatures {
  slots: Int32Array;
}

const PAIR = 4;
const NOTHING = 5;

/** Squared length below which a vector is only the rounding error of features that canceled each other out. */
const NOISE = 1e-12;

/** Words repeat; remembering their features makes embedding about five times faster. About 1 kB a word. */
const REMEMBERED_WORDS = 20_000;

const remembered = new Map<string, PlacedFeatures>();

/**
 * Unit vectors of the texts, row after row in one array of texts.length × dimensions. Deterministic on every
 * machine; comparable only between vectors of the same number of dimensions.
 */
export function embedLexical(texts: readonly string[], dimensions: number, inputType: LexicalInputType): Float32Array {
  const rows = new Float32Array(texts.length * dimensions);
  for (const [index, text] of texts.entries()) {
    const vector = rows.subarray(index * dimensions, (index + 1) * dimensions);
    addText(vector, text, inputType === 'query');
    if (!scaleToUnit(vector, NOISE)) {
      // A text without any content has a direction too, the same one always: no vector may be zero or NaN.
      vector.fill(0);
      add(vector, hashString('', NOTHING), 1);
      if (!scaleToUnit(vector, NOISE)) vector[0] = 1;
    }
  }
  return rows;
}

function addText(vector: Float32Array, text: string, isQuery: boolean): void {
  const counts = new Map<string, { plain: number; parts: number }>();
  const pairs = new Map<number, number>();
  let previous: PlacedFeatures | undefined;
  for (const { text: word, isPart } of wordsOf(text)) {
    const count = counts.get(word) ?? { plain: 0, parts: 0 };
    if (isPart) count.parts += 1;
    else count.plain += 1;
    counts.set(word, count);
    if (isPart || isCommon(word)) continue;
    const current = placedFeatures(word);
    if (previous !== undefined) {
      const weight = WEIGHTS.pair * Math.sqrt(previous.information * current.information);
      pairs.set(hashPair(previous.stem, current.stem, PAIR), weight);
    }
    previous = current;
  }
  for (const [word, { plain, parts }] of counts) addWord(vector, word, plain + parts * WEIGHTS.part, isQuery);
  for (const [hash, weight] of pairs) {
    for (const slot of slotsOf([hash], WEIGHTS.positions)) add(vector, slot, weight);
  }
}

function addWord(vector: Float32Array, word: string, count: number, isQuery: boolean): void {
  const { saturation, positions } = WEIGHTS;
  const frequency = isQuery ? Math.min(count, 1) : (count * (saturation + 1)) / (count + saturation);
  const factor = isQuery && isAsking(word) ? frequency * WEIGHTS.asking : frequency;
  const { slots, values } = placedFeatures(word);
  for (let at = 0; at < values.length; at += 1) {
    const value = (values[at] ?? 0) * factor;
    for (let slot = at * positions; slot < (at + 1) * positions; slot += 1) add(vector, slots[slot] ?? 0, value);
  }
}

function placedFeatures(word: string): PlacedFeatures {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  const made = featuresOf(word, WEIGHTS);
  const placed = { ...made, slots: slotsOf(made.hashes, WEIGHTS.positions) };
  if (remembered.size >= REMEMBERED_WORDS) remembered.clear();
  remembered.set(word, placed);
  return placed;
}

function slotsOf(hashes: ArrayLike<number>, positions: number): Int32Array {
  const slots = new Int32Array(hashes.length * positions);
  for (let at = 0; at < hashes.length; at += 1) {
    let bits = hashes[at] ?? 0;
    for (let position = 0; position < positions; position += 1) {
      bits = mix(bits + 0x9e3779b9);
      slots[at * positions + position] = bits;
    }
  }
  return slots;
}

/** One bit of a slot is the sign, the others are the place: what collides cancels out on average. */
function add(vector: Float32Array, slot: number, value: number): void {
  const at = (slot >>> 1) % vector.length;
  vector[at] = (vector[at] ?? 0) + (slot & 1 ? value : -value);
}

/** How much each kind of feature counts beside the stem of a word, which counts 1. */
interface FeatureWeights {
  /** The word as it stands, accents included. */
  exact: number;
  /** All its character n-grams together. */
  grams: number;
  gramSizes: readonly number[];
  /** Exponent on the information of a word: 0 treats all words alike. */
  information: number;
}

/** The features of one word: 32-bit hashes and what each contributes. */
interface WordFeatures {
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

function featuresOf(word: string, weights: FeatureWeights): WordFeatures {
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

/** FNV-1a over UTF-16 code units, finished so that every bit depends on every character. `kind` keeps name spaces apart. */
function hashString(text: string, kind: number, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ kind;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** A hash of two hashes in their order. */
function hashPair(left: number, right: number, kind: number): number {
  return mix(Math.imul(left ^ kind, 0x9e3779b1) + right);
}

/** The finisher of MurmurHash3: a bijection of 32-bit integers without visible pattern. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

interface EmbedLexicalInput {
  texts: readonly string[];
  dimensions: number;
  inputType: LexicalInputType;
}

/** The vectors of all texts in one array, row by row: row i is values.subarray(i * dimensions, (i + 1) * dimensions). */
export function embedLexicalTask({ texts, dimensions, inputType }: EmbedLexicalInput): Float32Array {
  return embedLexical(texts, dimensions, inputType);
}
