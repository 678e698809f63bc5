import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../../../src/server/context.ts';
import { createPageTokens, openPage, type PageScope } from '../../../../src/server/service/page-token.ts';
import { codePoint } from '../../../support/code-point.ts';

const tokens = createPageTokens(new Uint8Array(32).fill(1));
const scope: PageScope = {
  operation: 'ListSpaces',
  userId: 'ada',
  filters: { labels: { a: '1', b: '2' }, order: 'asc' },
};

describe('page tokens', () => {
  test('round-trip any position, in URL-safe Base64 without padding', () => {
    const item = fc.oneof(fc.string({ unit: codePoint }), fc.integer());
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
    ['set of filters', { filters: { order: 'asc' } }],
  ])('are invalid for another %s', (_, change) => {
    const token = tokens.encode(scope, ['x']);
    expect(() => tokens.decode({ ...scope, ...change }, token)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details: 'nextToken: does not belong to this list' }),
    );
  });

  test('cannot be forged without the key', () => {
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

describe('a page', () => {
  const context = { operation: { name: 'ListUsers' }, caller: { userId: 'ada' } } as CallContext;
  const open = (nextToken?: string) => openPage(tokens, context, { maxResults: 2, nextToken }, {});
  const close = (rows: readonly number[], found?: number) => open().close(rows, (row) => [row], found);

  test('reads one row more than it shows', () => {
    expect(open().limit).toBe(3);
    expect(close([1, 2])).toEqual({ items: [1, 2] });
    const { items, nextToken = '' } = close([1, 2, 3]);
    expect(items).toEqual([1, 2]);
    expect(open(nextToken).after).toEqual([2]);
  });

  test('that ended early continues after its last row', () => {
    const { items, nextToken = '' } = close([1], 3);
    expect(items).toEqual([1]);
    expect(open(nextToken).after).toEqual([1]);
    expect(close([], 0)).toEqual({ items: [] });
  });
});
