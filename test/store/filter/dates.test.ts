import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFilterRows } from './rows.fixture.ts';

const rows = useFilterRows();

const INSTANTS: [string, string | null][] = [
  ['2026-03-01', '2026-03-01T00:00:00Z'],
  ['20260301', '2026-03-01T00:00:00Z'],
  ['2026-03-01T10:20', '2026-03-01T10:20:00Z'],
  ['2026-03-01T10', '2026-03-01T10:00:00Z'],
  ['2026-03-01T10:20:30', '2026-03-01T10:20:30Z'],
  ['2026-03-01 10:20:30', '2026-03-01T10:20:30Z'],
  ['2026-03-01t10:20:30z', '2026-03-01T10:20:30Z'],
  ['2026-03-01T10:20:30.5Z', '2026-03-01T10:20:30.5Z'],
  ['2026-03-01T10:20:30,5Z', '2026-03-01T10:20:30.5Z'],
  ['2026-03-01T10:20:30.123456789Z', '2026-03-01T10:20:30.123457Z'],
  ['2026-03-01T10:20:30+05:30', '2026-03-01T04:50:30Z'],
  ['2026-03-01T10:20:30-0800', '2026-03-01T18:20:30Z'],
  ['2026-03-01T10:20:30+01', '2026-03-01T09:20:30Z'],
  ['20260301T102030Z', '2026-03-01T10:20:30Z'],
  ['20260301T1020+0100', '2026-03-01T09:20:00Z'],
  ['2026-03-01T24:00:00Z', '2026-03-02T00:00:00Z'],
  ['2028-02-29', '2028-02-29T00:00:00Z'],
  ['2026-02-29', null],
  ['2026-13-01', null],
  ['2026-03-01T25:00', null],
  ['2026-03-01T10:61', null],
  ['2026-03-01T10:20:30+99:00', null],
  ['2026-3-1', null],
  ['03/01/2026', null],
  ['now', null],
  ['infinity', null],
  ['epoch', null],
  ['2026-03-01 BC', null],
  ['2026-03-01T10:20:30 Europe/Berlin', null],
  ['0000-01-01', null],
  [' 2026-03-01', null],
  ['', null],
];

/** Instants must not depend on where the session thinks it is. */
describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('in a session in %s', (zone) => {
  beforeAll(() => rows.query(`set time zone '${zone}'`, []));
  afterAll(() => rows.query('reset time zone', []));

  test.each(INSTANTS)('%s is the instant %s', async (text, instant) => {
    const metadata = { d: text };
    const filter = `CAST(val('$.d') AS TIMESTAMP) = CAST('${instant}' AS TIMESTAMP)`;
    expect(await rows.of({ metadata }, filter)).toBe(instant === null ? null : true);
    const day = `CAST(val('$.d') AS DATE) = CAST('${instant?.slice(0, 10)}' AS DATE)`;
    expect(await rows.of({ metadata }, day)).toBe(instant === null ? null : true);
  });

  test.each([
    [`CAST(val('$.d') AS DATE) + 1 = '2026-03-09'`, '2026-03-08', true],
    [`1 + CAST(val('$.d') AS DATE) = '2026-03-09'`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) - 365 = '2025-03-08'`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) - '2026-03-01' = 7`, '2026-03-08', true],
    [`'2026-03-01' - CAST(val('$.d') AS DATE) = -7`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) - '2026-03-01' + 1 = 8`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) + 0.5 IS NULL`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) + 3000000 IS NULL`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) - 1e400 IS NULL`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) + 1 / 0 IS NULL`, '2026-03-08', true],
    [`CAST(val('$.d') AS TIMESTAMP) + 1 = '2026-03-08T12:00Z'`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS TIMESTAMP) + 1.5 = '2026-03-09T00:00Z'`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS TIMESTAMP) - 0.25 = '2026-03-07T06:00Z'`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS TIMESTAMP) + 1e-30 = '2026-03-07T12:00Z'`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS TIMESTAMP) + 1e400 IS NULL`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS TIMESTAMP) - 800000 IS NULL`, '2026-03-07T12:00Z', true],
    [`CAST(val('$.d') AS DATE) < CAST(val('$.d') AS TIMESTAMP)`, '2026-03-07T12:00Z', true],
    [`CAST(CAST(val('$.d') AS TIMESTAMP) AS DATE) = '2026-03-07'`, '2026-03-07T23:59:59Z', true],
    [`CAST(CAST(val('$.d') AS DATE) AS TIMESTAMP) = '2026-03-07T00:00Z'`, '2026-03-07T23:59:59Z', true],
    [`EXTRACT(HOUR FROM CAST(val('$.d') AS TIMESTAMP)) = 23`, '2026-03-07T23:59:30.5Z', true],
    [`EXTRACT(minute FROM val('$.d')) = 59`, '2026-03-07T23:59:30.5Z', true],
    [`EXTRACT(SECOND FROM val('$.d')) = 30.5`, '2026-03-07T23:59:30.5Z', true],
    [`EXTRACT(HOUR FROM CAST(val('$.d') AS DATE)) = 0`, '2026-03-07T23:59:30.5Z', true],
    [`EXTRACT(EPOCH FROM val('$.d')) = 86400`, '1970-01-02', true],
    [`EXTRACT(DOW FROM val('$.d')) = 0`, '2026-03-08', true],
    [`EXTRACT(DOY FROM val('$.d')) = 67`, '2026-03-08', true],
    [`EXTRACT(WEEK FROM val('$.d')) = 53`, '2027-01-01', true],
    [`EXTRACT(QUARTER FROM val('$.d')) = 4`, '2026-12-31', true],
    [`EXTRACT(MONTH FROM val('$.d')) = 12 AND EXTRACT(DAY FROM val('$.d')) = 31`, '2026-12-31', true],
    [`EXTRACT(YEAR FROM '2026-12-31T23:30-01:00') = 2027`, '', true],
    [`CURRENT_DATE = CAST(now() AS DATE) AND now() >= CURRENT_DATE AND now() < CURRENT_DATE + 1`, '', true],
    [`val('$.d') + 1 IS NULL`, '2026-03-08', true],
    [`CAST(val('$.d') AS DATE) IN ('2026-03-08', CURRENT_DATE)`, '2026-03-08', true],
  ])('%s with %s is %s', async (filter, d, expected) => {
    expect(await rows.of({ metadata: { d } }, filter)).toBe(expected);
  });

  test('a number is no date', async () => {
    expect(await rows.of({ metadata: { d: 20260308 } }, `CAST(val('$.d') AS DATE) IS NULL`)).toBe(true);
  });
});
