import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPageTokens, type PageScope } from '../../src/server/service/page-token.ts';

const tokens = createPageTokens(new Uint8Array(32).fill(1));
const scope: PageScope = {
  operation: 'ListSpaces',
  userId: 'ada',
  filters: { labels: { a: '1', b: '2' }, order: 'asc' },
};

describe('page tokens', () => {
  test('give back any position, in URL-safe Base64 without padding', () => {
    const item = fc.oneof(fc.string({ unit: 'binary' }), fc.integer());
    fc.assert(
      fc.property(fc.array(item), (position) => {
        const token = tokens.encode(scope, position);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(tokens.decode(scope, token)).toEqual(position);
      }),
    );
  });

  test('do not depend on the order in which filters are written', () => {
    const same = { ...scope, filters: { order: 'asc', labels: { b: '2', a: '1' } } };
    expect(tokens.decode(same, tokens.encode(scope, ['x']))).toEqual(['x']);
  });

  test.each<[string, Partial<PageScope>]>([
    ['caller', { userId: 'bob' }],
    ['operation', { operation: 'ListUsers' }],
    ['filter', { filters: { labels: { a: '1', b: '3' }, order: 'asc' } }],
    ['order', { filters: { labels: { a: '1', b: '2' }, order: 'desc' } }],
    ['filter less', { filters: { order: 'asc' } }],
  ])('do not fit another %s', (_, change) => {
    const token = tokens.encode(scope, ['x']);
    expect(() => tokens.decode({ ...scope, ...change }, token)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details: 'nextToken: does not belong to this list' }),
    );
  });

  test('cannot be made or changed without the key', () => {
    const token = tokens.encode(scope, ['x', 5]);
    const foreign = createPageTokens(new Uint8Array(32).fill(2)).encode(scope, ['x', 5]);
    const cut = token.slice(0, -1);
    const padded = `${token}=`;
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const bad of [foreign, cut, padded, flipped, 'AAAA', '!', `${token} `]) {
      expect(() => tokens.decode(scope, bad), bad).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });
});
