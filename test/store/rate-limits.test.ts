import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../src/server/store/db.ts';
import { exchangeRequests, forgetRequests, sweepRequests } from '../../src/server/store/rate-limits.ts';
import { type KeptDatabase, takeDatabase } from '../support/kept-database.ts';

const WINDOW = { endsAt: 1_800_000_060, seconds: 60 };

let database: KeptDatabase;
let db: Db;

beforeAll(async () => {
  database = await takeDatabase();
  db = await database.connect();
});
afterAll(async () => {
  await database?.drop();
});

async function totals(given: Record<string, number>, window = WINDOW): Promise<Record<string, number>> {
  const entries = Object.entries(given).map(([subject, requests]) => ({ subject, requests }));
  const rows = await exchangeRequests(db.main, window, entries);
  return Object.fromEntries(rows.map(({ subject, requests }) => [subject, requests]));
}

test('new counts are added, and every given subject is returned with its total', async () => {
  expect(await totals({ a: 2, b: 0 })).toEqual({ a: 2, b: 0 });
  expect(await totals({ a: 3, b: 1, c: 0 })).toEqual({ a: 5, b: 1, c: 0 });
  expect(await totals({ b: 0, a: 0 })).toEqual({ a: 5, b: 1 });
});

test('windows of another end or another length count by themselves', async () => {
  await totals({ w: 1 });
  expect(await totals({ w: 0 }, { endsAt: WINDOW.endsAt + 60, seconds: 60 })).toEqual({ w: 0 });
  expect(await totals({ w: 4 }, { endsAt: WINDOW.endsAt, seconds: 30 })).toEqual({ w: 4 });
  expect(await totals({ w: 0 })).toEqual({ w: 1 });
});

test('concurrent servers lose no count', async () => {
  const given = { x: 1, y: 1, z: 1 };
  const backwards = { z: 1, y: 1, x: 1 };
  await Promise.all(Array.from({ length: 20 }, (_, index) => totals(index % 2 === 0 ? given : backwards)));
  expect(await totals({ x: 0, y: 0, z: 0 })).toEqual({ x: 20, y: 20, z: 20 });
});

test('the clock is that of the database', async () => {
  const [row] = await exchangeRequests(db.main, WINDOW, [{ subject: 'clock', requests: 0 }]);
  expect(Math.abs((row?.clock ?? 0) - Date.now())).toBeLessThan(60_000);
});

test('expired windows are swept, a bounded number at a time, and all counts can be reset', async () => {
  await forgetRequests(db.main);
  await totals({ a: 1, b: 1, c: 1 }, { endsAt: 1000, seconds: 10 });
  await totals({ a: 1 });
  expect(await sweepRequests(db.main, { endedBefore: 1000, limit: 10 })).toBe(0);
  expect(await sweepRequests(db.main, { endedBefore: 1001, limit: 2 })).toBe(2);
  expect(await sweepRequests(db.main, { endedBefore: 1001, limit: 2 })).toBe(1);
  expect(await totals({ a: 0 })).toEqual({ a: 1 });
  await forgetRequests(db.main);
  expect(await totals({ a: 0 })).toEqual({ a: 0 });
});
