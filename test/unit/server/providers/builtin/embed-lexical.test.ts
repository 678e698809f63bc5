import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embedLexical } from '../../../../../src/server/providers/builtin/embed-lexical.ts';
import { stem } from '../../../../../src/server/providers/builtin/stem.ts';
import { wordsOf } from '../../../../../src/server/providers/builtin/words.ts';
import { codePoint } from '../../../../support/code-point.ts';
import { CORPUS } from './corpus.fixture.ts';

function row(rows: Float32Array, index: number, dimensions: number): Float32Array {
  return rows.subarray(index * dimensions, (index + 1) * dimensions);
}

function product(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? Number.NaN), 0);
}

function likeness(query: string, document: string, dimensions = 1024): number {
  return product(embedLexical([query], dimensions, 'query'), embedLexical([document], dimensions, 'document'));
}

/** For every question, how many other passages come before its own. */
function ranks(dimensions: number, questions: readonly string[]): number[] {
  const passages = CORPUS.map(([passage]) => passage);
  const documents = embedLexical(passages, dimensions, 'document');
  const queries = embedLexical(questions, dimensions, 'query');
  return questions.map((_, question) => {
    const scores = passages.map((_, at) => product(row(queries, question, dimensions), row(documents, at, dimensions)));
    const own = scores[question] ?? Number.NaN;
    return scores.filter((score, at) => at !== question && score >= own).length;
  });
}

function recallAt(limit: number, found: readonly number[]): number {
  return found.filter((rank) => rank < limit).length / found.length;
}

/** Leaves out the middle letter of the longest word. */
function misspelled(question: string): string {
  const words = question.split(' ');
  const longest = words.reduce((best, word, at) => (word.length > (words[best]?.length ?? 0) ? at : best), 0);
  return words
    .map((word, at) => (at === longest ? word.slice(0, word.length / 2) + word.slice(word.length / 2 + 1) : word))
    .join(' ');
}

describe('lexical vectors', () => {
  it('find the passage that answers a question', () => {
    const questions = CORPUS.map(([, question]) => question);
    expect(CORPUS.length).toBeGreaterThanOrEqual(60);
    expect(recallAt(1, ranks(1024, questions))).toBeGreaterThanOrEqual(0.95);
    expect(recallAt(3, ranks(1024, questions))).toBeGreaterThanOrEqual(0.98);
    expect(recallAt(3, ranks(256, questions))).toBeGreaterThanOrEqual(0.9);
    expect(recallAt(3, ranks(1024, questions.map(misspelled)))).toBeGreaterThanOrEqual(0.93);
  });

  it('have unit length whatever the text, and never NaN', () => {
    const texts = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.constantFrom('', ' ', '\n\t', '???', '😀', '\0', 'the', '\ud800'),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 2, 3, 7, 64, 1024, 16_000), fc.boolean(), (text, dimensions, isQuery) => {
        const vector = embedLexical([text], dimensions, isQuery ? 'query' : 'document');
        expect(vector).toHaveLength(dimensions);
        expect(Math.abs(product(vector, vector) - 1)).toBeLessThan(1e-4);
      }),
    );
  });

  it('depend on the text alone, not on the batch or earlier calls', () => {
    const texts = CORPUS.slice(0, 5).map(([passage]) => passage);
    const together = embedLexical(texts, 128, 'document');
    for (const [index, text] of texts.entries()) {
      expect(embedLexical([text], 128, 'document')).toEqual(row(together, index, 128));
    }
    expect(embedLexical([], 128, 'document')).toHaveLength(0);
    // These figures are stored in databases: another result is another model and needs another name.
    const known = embedLexical(['The boiler was serviced on 3 March.'], 8, 'document');
    expect(Array.from(known, (value) => Number(value.toFixed(4)))).toMatchInlineSnapshot(`
      [
        -0.175,
        -0.2775,
        0.1087,
        0.0502,
        0.2427,
        -0.1372,
        -0.0931,
        0.8897,
      ]
    `);
  });

  it('are near for inflections, accents, case, width and typing errors', () => {
    const near: [string, string][] = [
      ['servicing', 'the boiler was serviced'],
      ['Zurich', 'a flat in Zürich'],
      ['STRASSE', 'die Straße war gesperrt'],
      ['ＡＢＣ', 'the abc of it'],
      ['user name', 'const x = getUserName(request)'],
      ['max upload size', 'MAX_UPLOAD_SIZE=64'],
      ['hypertension', 'hypertention noted'],
      ['bought', 'She buys bread'],
      ['再建', '1955年に再建されました'],
      ['🎉', 'party 🎉 tonight'],
    ];
    for (const [query, document] of near) expect([query, likeness(query, document) > 0.2]).toEqual([query, true]);
    expect(Math.abs(likeness('volcano eruption', 'a recipe for lentil soup'))).toBeLessThan(0.15);
  });

  it('weigh rare words more', () => {
    const query = 'what is the boiler of the house';
    expect(likeness(query, 'boiler manual')).toBeGreaterThan(
      likeness(query, 'what is the name of the street in the city'),
    );
  });

  it('are made from a text of any size and shape', () => {
    const texts = ['a'.repeat(1_000_000), 'ab '.repeat(200_000), '漢'.repeat(200_000), `${'aB'.repeat(200_000)}`];
    for (const text of texts) expect(embedLexical([text], 64, 'document')).toHaveLength(64);
  });
});

describe('words', () => {
  it('are split at boundaries of identifiers and scripts', () => {
    const split = (text: string) => wordsOf(text).map((word) => word.text);
    expect(split('getHTTPServer_v2')).toEqual(['get', 'http', 'server', 'gethttpserver', 'v2']);
    expect(split("Anna's dog isn't")).toEqual(['anna', 'dog', 'isnt']);
    expect(split('東京都 abc')).toEqual(['東京', '東', '京都', '京', '都', 'abc']);
    expect(split('!?')).toEqual(['!', '?']);
    expect(split(' ')).toEqual([]);
  });

  it('are stemmed', () => {
    const groups = [
      ['service', 'services', 'serviced', 'servicing'],
      ['plan', 'plans', 'planned', 'planning'],
      ['city', 'cities'],
      ['happy', 'happily'],
      ['write', 'wrote', 'written', 'writing', 'writes'],
      ['donate', 'donation', 'donations', 'donated'],
      ['watch', 'watches', 'watching'],
    ];
    for (const group of groups) expect(new Set(group.map(stem)), group.join()).toHaveLength(1);
    for (const word of ['bus', 'glass', 'his', 'sing', 'red', 'string']) expect(stem(word)).toBe(word);
  });
});
