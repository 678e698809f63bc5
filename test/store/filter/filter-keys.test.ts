import { describe, expect, test } from 'vitest';
import { useFilterRows } from './rows.fixture.ts';

const rows = useFilterRows();

/** Which of these metadata the condition on the keys lets through, by their place; undefined when there is none. */
async function letThrough(filter: string, metadata: readonly unknown[]): Promise<number[] | undefined> {
  const id = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
  await rows.store(metadata.map((each, index) => ({ memoryId: id(index), metadata: each })));
  const keys = await rows.evaluateKeys(filter);
  return keys?.results.flatMap((passes, index) => (passes === true ? [index] : []));
}

describe('the condition on the keys', () => {
  test('a text is that of a member, or in an array', async () => {
    const metadata = [{ room: 'attic' }, { room: 'cellar' }, { floor: 'attic' }, { room: ['x', 'attic'] }, {}];
    expect(await letThrough(`CAST(val('$.room') AS TEXT) = 'attic'`, metadata)).toEqual([0, 3]);
    expect(await letThrough(`'attic' = CAST(val('$.room') AS TEXT)`, metadata)).toEqual([0, 3]);
    expect(await letThrough(`CAST(val('$.room') AS TEXT) IN ('cellar', 'x')`, metadata)).toEqual([1, 3]);
  });

  test('a number has many forms', async () => {
    const metadata = [
      { n: 7 },
      { n: '7' },
      { n: '7.00' },
      { n: '70e-1' },
      { n: 7.5 },
      { n: '7x' },
      { n: true },
      '{"n": 7.0}',
    ];
    expect(await letThrough(`CAST(val('$.n') AS NUMERIC) = 7.0`, metadata)).toEqual([0, 1, 2, 3, 7]);
    expect(await letThrough(`CAST(val('$.n') AS INTEGER) = 7`, metadata)).toEqual([0, 1, 2, 3, 7]);
  });

  test('a boolean is one or its name', async () => {
    const metadata = [{ b: true }, { b: 'true' }, { b: false }, { b: 'True' }, { b: null }];
    expect(await letThrough(`CAST(val('$.b') AS BOOLEAN) = true`, metadata)).toEqual([0, 1]);
  });

  test('AND needs one of each, OR any', async () => {
    const metadata = [{ a: 'x', b: 'y' }, { a: 'x' }, { b: 'y' }, {}];
    const [a, b] = [`CAST(val('$.a') AS TEXT) = 'x'`, `CAST(val('$.b') AS TEXT) = 'y'`];
    expect(await letThrough(`${a} AND ${b}`, metadata)).toEqual([0]);
    expect(await letThrough(`${a} OR ${b}`, metadata)).toEqual([0, 1, 2]);
    expect(await letThrough(`${a} AND field('createdAt') > '2020-01-01'`, metadata)).toEqual([0, 1]);
    expect(await letThrough(`${a} OR field('createdAt') > '2020-01-01'`, metadata)).toBeUndefined();
    expect(await letThrough(`NOT (${a})`, metadata)).toBeUndefined();
    expect(await letThrough(`CAST(val('$.a') AS TEXT) > 'x'`, metadata)).toBeUndefined();
    expect(await letThrough(`CAST(val('$.a.b') AS TEXT) = 'x'`, metadata)).toBeUndefined();
  });

  test('a memory with too many values is always let through', async () => {
    const members = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`m${n}`, `v${n}`]));
    const items = { tags: Array.from({ length: 100_000 }, (_, n) => `t${n}`) };
    const metadata = [members, items, { m5: 'v5' }, { m5: 'other' }];
    expect(await letThrough(`CAST(val('$.m5') AS TEXT) = 'v5'`, metadata)).toEqual([0, 1, 2]);
  });

  test('one of more values than are looked for is left to the filter', async () => {
    const list = Array.from({ length: 101 }, (_, n) => `'v${n}'`).join(', ');
    expect(await letThrough(`CAST(val('$.a') AS TEXT) IN (${list})`, [{ a: 'v1' }])).toBeUndefined();
  });

  test('each space has keys of its own', async () => {
    const { rows: found } = await rows.query(
      `select svc_filter_keys(gen_random_uuid(), metadata) as keys from
      (values ('{"a": "x"}'::jsonb), ('{"a": "x"}')) item (metadata)`,
      [],
    );
    expect(new Set(found.map(({ keys }) => String(keys))).size).toBe(2);
  });
});
