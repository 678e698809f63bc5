import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { cutToTokens } from '../../../../../src/server/providers/embedders/cut.ts';

const SAMPLES = {
  english: 'The quick brown fox jumps over the lazy dog, and nobody in the village could explain afterwards why. ',
  german:
    'Die Lebensversicherungsgesellschaft überprüft Änderungen der Vertragsbedingungen außerordentlich gründlich. ',
  russian: 'Быстрая коричневая лиса перепрыгивает через ленивую собаку, и никто не может объяснить почему. ',
  chinese: '敏捷的棕色狐狸跳过了懒狗，村里没有人能解释为什么会这样。',
  code: 'export function getUserById(id: number): Promise<User | undefined> {\n  return db.query("select 1", [id]);\n}\n',
  numbers: '2026-11-20 12:34:56 1234567 3.14159 0x7ffe 99.95 % +49 151 23456789\n',
  emoji: 'Great 🎉🎉🎉 see you 👋🏽 at the 🏖️ soon 🙂 ',
};

describe('cutToTokens', () => {
  it.each(Object.entries(SAMPLES))('keeps %s within the limit as o200k counts it', (_name, sample) => {
    for (const limit of [8, 100, 512]) {
      const cut = cutToTokens(sample.repeat(200), limit);
      expect(encode(cut).length).toBeLessThanOrEqual(limit);
    }
  });

  it('keeps most of the allowed tokens of English text', () => {
    expect(encode(cutToTokens(SAMPLES.english.repeat(200), 512)).length).toBeGreaterThan(512 * 0.6);
  });

  it('returns a text within the limit unchanged', () => {
    expect(cutToTokens(SAMPLES.english, 64)).toBe(SAMPLES.english);
    expect(cutToTokens('', 1)).toBe('');
  });

  it('returns a prefix that ends at a character boundary', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = cutToTokens(text, limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut).not.toMatch(/[\uD800-\uDBFF]$/);
      }),
    );
  });
});
