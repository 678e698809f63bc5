import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type MemoryRow, useFilterRows } from './rows.fixture.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const rows = useFilterRows();

/** Every example of docs/filters.md: the filter, the memories, the names that it lets through. */
const EXAMPLES: [string, MemoryRow[], string[]][] = [
  [
    `CAST(val('$.tag') AS TEXT) = 'x'`,
    [{ metadata: { name: 'x', tag: 'x' } }, { metadata: { name: 'y', tag: 'y' } }, { metadata: { name: 'none' } }],
    ['x'],
  ],
  [
    `val('$.source') = 'email'`,
    [{ metadata: { name: 'mail', source: 'email' } }, { metadata: { name: 'list', source: ['email'] } }],
    ['mail'],
  ],
  [
    `CAST(val('$.year') AS NUMERIC) >= 2026 AND NOT (CAST(val('$.draft') AS BOOLEAN) = true)`,
    [
      { metadata: { name: 'final', year: 2026, draft: false } },
      { metadata: { name: 'text', year: '2027', draft: 'false' } },
      { metadata: { name: 'draft', year: 2026, draft: true } },
      { metadata: { name: 'old', year: 2025, draft: false } },
      { metadata: { name: 'undrafted', year: 2026 } },
    ],
    ['final', 'text'],
  ],
  [
    `lower(CAST(val('$.home.city') AS TEXT)) = 'manila'`,
    [
      { metadata: { name: 'there', home: { city: 'MaNiLa' } } },
      { metadata: { name: 'elsewhere', home: { city: 'Cebu' } } },
      { metadata: { name: 'flat', home: 'Manila' } },
    ],
    ['there'],
  ],
  [
    `CAST(val('$.d') AS DATE) >= (CURRENT_DATE - 365)`,
    [
      { metadata: { name: 'recent', d: daysAgo(30).slice(0, 10) } },
      { metadata: { name: 'edge', d: daysAgo(364).slice(0, 10) } },
      { metadata: { name: 'old', d: daysAgo(400).slice(0, 10) } },
      { metadata: { name: 'bad', d: 'yesterday' } },
    ],
    ['edge', 'recent'],
  ],
  [
    `EXTRACT(YEAR FROM CAST(val('$.d') AS DATE)) = 2026`,
    [
      { metadata: { name: 'first', d: '2026-01-01' } },
      { metadata: { name: 'last', d: '2026-12-31' } },
      { metadata: { name: 'next', d: '2026-12-31T23:00:00-05:00' } },
    ],
    ['first', 'last'],
  ],
  [
    `CAST(val('$.at') AS TIMESTAMP) > now() - 0.5`,
    [{ metadata: { name: 'now', at: daysAgo(0.4) } }, { metadata: { name: 'before', at: daysAgo(0.6) } }],
    ['now'],
  ],
  [
    `field('createdAt') > now() - 7 AND field('processingStatus') = 'COMPLETED'`,
    [
      { metadata: { name: 'ready' }, createdAt: daysAgo(6) },
      { metadata: { name: 'pending' }, createdAt: daysAgo(6), processingStatus: 'PENDING' },
      { metadata: { name: 'old' }, createdAt: daysAgo(8) },
    ],
    ['ready'],
  ],
  [
    `field('contentType') LIKE 'image/%'`,
    [{ metadata: { name: 'png' }, contentType: 'image/png' }, { metadata: { name: 'text' } }],
    ['png'],
  ],
  [
    `CAST(val('$.t') AS TEXT) IN ('a','b')`,
    [{ metadata: { name: 'a', t: 'a' } }, { metadata: { name: 'b', t: 'b' } }, { metadata: { name: 'c', t: 'c' } }],
    ['a', 'b'],
  ],
  [
    `'red' IN val('$.tags')`,
    [
      { metadata: { name: 'red', tags: ['big', 'red'] } },
      { metadata: { name: 'blue', tags: ['blue'] } },
      { metadata: { name: 'scalar', tags: 'red' } },
    ],
    ['red'],
  ],
  [
    `val('$.tags') CONTAINS ['red','big']`,
    [{ metadata: { name: 'both', tags: ['big', 'blue', 'red'] } }, { metadata: { name: 'one', tags: ['red'] } }],
    ['both'],
  ],
  [
    `val('$.tags') OVERLAPS ['red','blue']`,
    [
      { metadata: { name: 'one', tags: ['red'] } },
      { metadata: { name: 'none', tags: ['big'] } },
      { metadata: { name: 'keys', tags: { red: 1 } } },
    ],
    ['one'],
  ],
  [
    `val('$.tags')[0] = 'first'`,
    [
      { metadata: { name: 'first', tags: ['first', 'second'] } },
      { metadata: { name: 'second', tags: ['second', 'first'] } },
      { metadata: { name: 'scalar', tags: 'first' } },
    ],
    ['first'],
  ],
  [
    `exists('$.items[*].sku')`,
    [
      { metadata: { name: 'some', items: [{ a: 1 }, 5, { sku: null }] } },
      { metadata: { name: 'none', items: [{ a: 1 }] } },
      { metadata: { name: 'object', items: { sku: 1 } } },
    ],
    ['some'],
  ],
  [
    `val('$.name') ILIKE 'o''neil%' OR val('$.name') ILIKE 'o\\'neal%'`,
    [{ metadata: { name: "O'NEILL" } }, { metadata: { name: "o'neal" } }, { metadata: { name: 'ONeil' } }],
    ["O'NEILL", "o'neal"],
  ],
  [
    `coalesce(CAST(val('$.score') AS NUMERIC), 0) BETWEEN 1 AND 5`,
    [
      { metadata: { name: 'one', score: 1 } },
      { metadata: { name: 'five', score: '5' } },
      { metadata: { name: 'six', score: 6 } },
      { metadata: { name: 'missing' } },
    ],
    ['five', 'one'],
  ],
];

describe('the documented examples', () => {
  test.each(EXAMPLES)('%s', async (filter, memories, expected) => {
    await rows.store(memories);
    expect((await rows.matching(filter)).toSorted()).toEqual(expected.toSorted());
  });

  test('are all of the documentation', async () => {
    const text = await readFile(new URL('../../../docs/filters.md', import.meta.url), 'utf8');
    const table = text.slice(text.indexOf('| Example |'), text.indexOf('## Values'));
    const documented = [...table.matchAll(/^\| `(.*)` \| /gm)].map(([, filter]) => filter);
    expect(documented).toEqual(EXAMPLES.map(([filter]) => filter));
  });
});
