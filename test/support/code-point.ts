import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * Any code point but a surrogate, as fast-check's unit `binary`, for which it builds a map of all 1.1 million of them in
 * every worker: a second and 100 MB.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES),
  (value) => {
    const [character, ...others] = typeof value === 'string' ? value : '';
    if (character === undefined || others.length > 0) throw new TypeError('not one character');
    const code = character.codePointAt(0) ?? 0;
    return code < SURROGATES_FROM ? code : code - SURROGATES;
  },
);
