import pg from 'pg';
import { expect, test } from 'vitest';
import { TypeParsers } from '../../../../src/server/store/type-parsers.ts';

const TIMESTAMPTZ = 1184;
const parse = new TypeParsers().getTypeParser(TIMESTAMPTZ);

test.each([
  ['2026-11-23 12:46:53+00', Date.UTC(2026, 10, 23, 12, 46, 53)],
  ['2026-11-23 12:46:53.1+00', Date.UTC(2026, 10, 23, 12, 46, 53, 100)],
  ['2026-11-23 12:46:53.12+00', Date.UTC(2026, 10, 23, 12, 46, 53, 120)],
  ['2026-11-23 12:46:53.123999+00', Date.UTC(2026, 10, 23, 12, 46, 53, 123)],
  ['2024-02-29 23:59:59.999999+00', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
  ['1969-12-31 23:59:59.5+00', -500],
  ['1000-01-01 00:00:00+00', Date.UTC(1000, 0)],
  ['9999-12-31 23:59:59.999+00', 253_402_300_799_999],
])('a time in UTC, %s, becomes epoch milliseconds', (text, ms) => {
  expect(parse(text)).toBe(ms);
});

test.each([
  '2026-11-23 12:46:53.123+02',
  '2026-11-23 12:46:53.123-03:30',
  '2026-11-23 12:46:53+05:30:15',
  '0044-03-15 12:00:00+00 BC',
  '1000-01-01 00:00:00+00 BC',
  '0099-03-15 12:00:00+00',
  '12026-11-23 12:46:53+00',
  'infinity',
  '-infinity',
])('every other time is read by pg: %s', (text) => {
  expect(parse(text)).toBe(Math.floor(Number(pg.types.getTypeParser(TIMESTAMPTZ)(text))));
});
