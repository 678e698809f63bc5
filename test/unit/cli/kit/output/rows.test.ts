import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { idColumn } from '../../../../../src/cli/kit/output/columns.ts';
import { renderBlocks, renderRecord, screenColumns } from '../../../../../src/cli/kit/output/rows.ts';
import { renderTable } from '../../../../../src/cli/kit/output/table.ts';
import { cutStart, displayWidth } from '../../../../../src/cli/kit/text/printable.ts';
import { spaceView } from '../../../../../src/cli/spaces/view.ts';
import { SpaceSchema } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { timestampFromMs } from '../../../../../src/shared/time.ts';

const createdAt = timestampFromMs(1772530200000);
const spaces = [
  { spaceId: '01980000-0000-7000-8000-0000000000b1', name: 'house', labels: { team: 'home', area: 'cellar' } },
  { spaceId: '01980000-0000-7000-8000-0000000000b2', name: '家の記録 with a long name that goes on', publicRead: true },
  { spaceId: '01980000-0000-7000-8000-0000000000b3', name: 'bell\u0007\u001b[31mred\nline' },
].map((fields) => create(SpaceSchema, { ...fields, createdAt }));

const table = (width: number) =>
  `\n${renderTable(spaceView.columns, spaces, { width, rule: Number.isFinite(width), color: false })}`;

describe('tables', () => {
  test('60 columns', () => {
    expect(table(60)).toMatchInlineSnapshot(`
      "
      ID                                    NAME
      ────────────────────────────────────────────────────────────
      01980000-0000-7000-8000-0000000000b1  house
      01980000-0000-7000-8000-0000000000b2  家の記録 with a long…
      01980000-0000-7000-8000-0000000000b3  bell [31mred line
      "
    `);
  });
  test('80 columns', () => {
    expect(table(80)).toMatchInlineSnapshot(`
      "
      ID                                    NAME                  CREATED
      ────────────────────────────────────────────────────────────────────────────────
      01980000-0000-7000-8000-0000000000b1  house                 2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b2  家の記録 with a lon…  2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b3  bell [31mred line     2026-03-03T09:30:00Z
      "
    `);
  });
  test('120 columns', () => {
    expect(table(120)).toMatchInlineSnapshot(`
      "
      ID                                    NAME                          PUBLIC  LABELS                  CREATED
      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      01980000-0000-7000-8000-0000000000b1  house                         no      area=cellar, team=home  2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b2  家の記録 with a long name t…  yes                             2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b3  bell [31mred line             no                              2026-03-03T09:30:00Z
      "
    `);
  });
  test('a pipe: full width, no rule, one record a line', () => {
    expect(table(Number.POSITIVE_INFINITY)).toMatchInlineSnapshot(`
      "
      ID                                    NAME                                    PUBLIC  LABELS                  CREATED               MEMORIES  SIZE
      01980000-0000-7000-8000-0000000000b1  house                                   no      area=cellar, team=home  2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b2  家の記録 with a long name that goes on  yes                             2026-03-03T09:30:00Z
      01980000-0000-7000-8000-0000000000b3  bell [31mred line                       no                              2026-03-03T09:30:00Z
      "
    `);
  });
  test.each([20, 36, 40, 60, 77, 80, 120])('no line is wider than %i columns', (width) => {
    for (const line of table(width).split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
  test('columns that keep their end are cut at the start, and wide characters count twice', () => {
    const cuts = [20, 8, 7, 1, 0].map((width) => cutStart('notes/家の記録.txt', width));
    expect(cuts).toEqual(['notes/家の記録.txt', '…録.txt', '…録.txt', '…', '']);
    for (const [index, width] of [20, 8, 7, 1, 0].entries()) {
      expect(displayWidth(cuts[index] ?? '')).toBeLessThanOrEqual(width);
    }
  });
  test('optional columns are dropped before later ones', () => {
    const columns = [
      { header: 'ID', value: () => 'twelve chars', whole: true },
      { header: 'FROM', value: () => '0', spare: true },
      { header: 'TEXT', value: () => 'what was said' },
    ];
    const heading = (width: number) => renderTable(columns, [{}], { width, rule: false, color: false }).split('\n')[0];
    expect([40, 29, 28, 20].map(heading)).toEqual([
      'ID            FROM  TEXT',
      'ID            TEXT',
      'ID            TEXT',
      'ID',
    ]);
  });
  test('a column without values is dropped before anything is cut', () => {
    const columns = [
      { header: 'NAME', value: () => 'a name of some length', isTitle: true },
      { header: 'LABELS', value: () => '' },
      { header: 'CREATED', value: () => 'today' },
    ];
    const lines = (width: number) => renderTable(columns, [{}], { width, rule: false, color: false }).split('\n');
    expect([38, 37].map((width) => lines(width)[0])).toEqual([
      'NAME                   LABELS  CREATED',
      'NAME                   CREATED',
    ]);
  });
  test.each([
    [['0198aaaa-1111-7000', '7c1f0000-1111-7000'], 8],
    [['0198aaaa-1111-7000', '0198aaaa-1121-7000'], 12],
    [['0198aaaa-1111-7000', '0198aaaa-2111-7000', '0198aaaa-2111-7000'], 10],
    [['0198aaaa-1111-7000', '0198aaaa-1111-8000'], 15],
    [['0198aaaa-1111-7000'], 8],
  ])('ids %j are told apart by %i characters', (ids, length) => {
    const [column] = screenColumns([idColumn('ID', (id: string) => id)], ids, {
      records: 'table',
      wide: false,
      now: () => 0,
    });
    expect(ids.map((id) => column?.value(id))).toEqual(ids.map((id) => id.slice(0, length)));
  });
  test('a table that wraps cuts nothing', () => {
    const columns = [
      { header: 'NAME', value: () => 'path', whole: true },
      { header: 'VALUE', value: () => 'one two three four' },
    ];
    expect(renderTable(columns, [{}], { width: 16, rule: false, color: false, wraps: true })).toBe(
      'NAME  VALUE\npath  one two\n      three four\n',
    );
  });
  test('color only where it is enabled', () => {
    const render = (color: boolean) => renderTable(spaceView.columns, spaces, { width: 80, rule: true, color });
    expect(render(false)).not.toContain('\u001b');
    expect(render(true)).toContain('\u001b[1mID');
  });
  test('blocks', () => {
    expect(`\n${renderBlocks(spaceView.columns, spaces.slice(0, 2))}`).toMatchInlineSnapshot(`
      "
      id       01980000-0000-7000-8000-0000000000b1
      name     house
      public   no
      labels   area=cellar, team=home
      created  2026-03-03T09:30:00Z

      id       01980000-0000-7000-8000-0000000000b2
      name     家の記録 with a long name that goes on
      public   yes
      created  2026-03-03T09:30:00Z
      "
    `);
  });
});

describe('one record', () => {
  const record = create(SpaceSchema, {
    spaceId: '01980000-0000-7000-8000-0000000000b1',
    name: '家の記録 with a long name that goes on and on, further than a line',
    description: 'https://example.org/a/path/without/any/place/at/which/a/line/could/be/broken',
    labels: { team: 'home\u001b[31m' },
    createdAt,
  });
  const shown = (width: number, color = false) =>
    renderRecord(spaceView.fields ?? [], record, { width, rule: true, color });

  test('60 columns: long values wrap, empty ones are left out', () => {
    expect(`\n${shown(60)}`).toMatchInlineSnapshot(`
      "
      FIELD        VALUE
      ────────────────────────────────────────────────────────────
      id           01980000-0000-7000-8000-0000000000b1
      name         家の記録 with a long name that goes on and on,
                   further than a line
      description  https://example.org/a/path/without/any/place/at
                   /which/a/line/could/be/broken
      public       no
      labels       team=home [31m
      created      2026-03-03T09:30:00Z
      "
    `);
  });
  test.each([60, 61, 80, 200])('nothing is lost on %i columns, and no line is wider', (width) => {
    const lines = shown(width).trimEnd().split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    const values = lines.slice(2).map((line) => line.slice('description  '.length).trim());
    expect(values.join('')).toContain(record.description);
    expect(values.join(' ')).toContain(record.name);
  });
  test('color only where it is enabled', () => {
    expect(shown(80)).not.toContain('\u001b');
    expect(shown(80, true)).toContain('\u001b[1mFIELD');
  });
});
