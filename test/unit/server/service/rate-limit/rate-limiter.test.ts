import { expect, test } from 'vitest';
import { addressSubject, keySubject } from '../../../../../src/server/service/rate-limit/buckets.ts';
import type { SharedCounts } from '../../../../../src/server/service/rate-limit/count-exchange.ts';
import { RateLimiter } from '../../../../../src/server/service/rate-limit/rate-limiter.ts';

/** 12 s before the end of a window of a minute. */
const NOW = 1_800_000_048_000;
const KEY = keySubject('a');

/** A clock that goes when it is told to. */
function clock() {
  const hand = { at: NOW };
  return { hand, now: () => hand.at };
}

function limiter(max: number, windowSeconds = 60) {
  const { hand, now } = clock();
  return { limiter: new RateLimiter({ max, windowSeconds }, now), hand };
}

async function taken(subject: RateLimiter, times: number, who = KEY): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (let time = 0; time < times; time += 1) outcomes.push((await subject.take(who))?.isAllowed ?? true);
  return outcomes;
}

test('a window admits its limit of requests and reports the remaining ones', async () => {
  const { limiter: limits } = limiter(3);
  const window = { limit: 3, windowSeconds: 60, resetsAt: 1_800_000_060, retryAfterSeconds: 12 };
  for (const remaining of [2, 1, 0]) {
    expect(await limits.take(KEY)).toEqual({ ...window, remaining, isAllowed: true });
  }
  expect(await limits.take(KEY)).toEqual({ ...window, remaining: 0, isAllowed: false });
  expect((await limits.take(keySubject('b')))?.remaining).toBe(2);
});

test('a refused request does not make the caller wait longer', async () => {
  const { limiter: limits, hand } = limiter(2);
  expect(await taken(limits, 5)).toEqual([true, true, false, false, false]);
  hand.at += 12_000;
  expect(await taken(limits, 3)).toEqual([true, true, false]);
  hand.at += 59_999;
  expect((await limits.take(KEY))?.retryAfterSeconds).toBe(1);
  expect((await limits.take(KEY))?.isAllowed).toBe(false);
});

test('reading the state counts no request', async () => {
  const { limiter: limits } = limiter(2);
  expect(limits.peek(KEY)).toMatchObject({ limit: 2, remaining: 2 });
  await limits.take(KEY);
  for (let time = 0; time < 5; time += 1) expect(limits.peek(KEY)?.remaining).toBe(1);
});

test('0 turns the limit off, and changed limits restart the counters', async () => {
  const { limiter: limits, hand } = limiter(0);
  expect(await limits.take(KEY)).toBeUndefined();
  expect(limits.peek(KEY)).toBeUndefined();
  limits.configure({ max: 2, windowSeconds: 10 });
  expect(limits.limits).toEqual({ max: 2, windowSeconds: 10 });
  expect(await taken(limits, 3)).toEqual([true, true, false]);
  expect(limits.peek(KEY)?.resetsAt).toBe(Math.floor(hand.at / 10_000 + 1) * 10);
  limits.configure({ max: 2, windowSeconds: 10 });
  expect(await taken(limits, 3)).toEqual([true, true, false]);
});

test('a clock that is put back a little does not open a window again', async () => {
  const { limiter: limits, hand } = limiter(1);
  hand.at += 12_000;
  await limits.take(KEY);
  hand.at -= 1000;
  expect((await limits.take(KEY))?.isAllowed).toBe(false);
  hand.at -= 3_600_000;
  expect((await limits.take(KEY))?.isAllowed).toBe(true);
});

test('unauthenticated callers from more addresses than the table holds count together', async () => {
  const { limiter: limits } = limiter(2);
  const stranger = (index: number) => addressSubject(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  for (let index = 0; index < 50_000; index += 1) await limits.take(stranger(index));
  expect((await limits.take(stranger(0)))?.remaining).toBe(0);
  expect((await limits.take(stranger(60_000)))?.remaining).toBe(1);
  expect((await limits.take(stranger(60_001)))?.remaining).toBe(0);
  expect((await limits.take(stranger(60_002)))?.isAllowed).toBe(false);
  expect((await limits.take(KEY))?.remaining).toBe(1);
});

test.each([
  ['192.0.2.7', 'address:192.0.2.7'],
  ['::ffff:192.0.2.7', 'address:192.0.2.7'],
  ['::FFFF:192.0.2.7', 'address:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', 'address:2001:db8:1:2::/64'],
  ['2001:db8::1', 'address:2001:db8:0:0::/64'],
  ['2001:0db8:0001::', 'address:2001:db8:1:0::/64'],
  ['::1', 'address:0:0:0:0::/64'],
  ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
  ['', 'address:local'],
  [undefined, 'address:local'],
  ['unknown', 'address:local'],
])('the address %s counts as %s', (address, subject) => {
  expect(addressSubject(address)).toBe(subject);
});

/** What a database would do, in this process: answers only when it is let. */
function sharedCounts(now: () => number) {
  const totals = new Map<string, number>();
  const asked: string[][] = [];
  const failures: unknown[] = [];
  let answers: (() => void)[] | undefined;
  let away = false;
  const counts: SharedCounts = {
    async exchange(window, given) {
      asked.push(given.map(({ subject, requests }) => `${subject}+${requests}`));
      if (answers !== undefined) await new Promise<void>((resolve) => answers?.push(resolve));
      if (away) throw new Error('the database is away');
      return given.map(({ subject, requests }) => {
        const name = `${subject}@${window.endsAt}/${window.seconds}`;
        totals.set(name, (totals.get(name) ?? 0) + requests);
        return { subject, requests: totals.get(name) ?? 0, clock: now() };
      });
    },
    async restart() {
      totals.clear();
    },
    onFailure: (error) => failures.push(error),
  };
  return {
    counts,
    totals,
    asked,
    failures,
    hold: () => {
      answers = [];
    },
    setAway: (value: boolean) => {
      away = value;
    },
  };
}

/** Two limiters on one table of counts. Ending the sharing of one tells what it has. */
function pair(max: number) {
  const { hand, now } = clock();
  const shared = sharedCounts(now);
  const servers = [0, 1].map(() => new RateLimiter({ max, windowSeconds: 60 }, now)) as [RateLimiter, RateLimiter];
  const ends = servers.map((server) => server.share(shared.counts)) as [() => Promise<void>, () => Promise<void>];
  return { hand, shared, servers, ends };
}

test('the first request of a key reads the counts of other servers, the next ones make no query', async () => {
  const { shared, servers, ends } = pair(5);
  expect(await taken(servers[0], 4)).toEqual([true, true, true, true]);
  expect(shared.asked).toEqual([[`${KEY}+0`]]);
  await ends[0]();
  expect(shared.asked[1]).toEqual([`${KEY}+4`]);
  expect(await taken(servers[1], 3)).toEqual([true, false, false]);
  expect(shared.asked.slice(2)).toEqual([[`${KEY}+0`]]);
  await ends[1]();
  expect([...shared.totals.values()]).toEqual([5]);
});

test('concurrent keys are read in one statement', async () => {
  const { shared, servers, ends } = pair(5);
  const names = Array.from({ length: 50 }, (_, index) => keySubject(String(index)));
  await Promise.all(names.map((name) => servers[0].take(name)));
  expect(shared.asked.length).toBeLessThanOrEqual(2);
  await Promise.all(ends.map((end) => end()));
  expect([...shared.totals.values()]).toEqual(names.map(() => 1));
});

test('in a new window no request waits', async () => {
  const { hand, shared, servers, ends } = pair(5);
  hand.at += 12_500;
  await servers[0].take(KEY);
  expect(shared.asked).toEqual([]);
  await Promise.all(ends.map((end) => end()));
  expect(shared.asked).toEqual([[`${KEY}+1`]]);
});

test('a database that does not answer delays a request only briefly, and the limit applies', async () => {
  const { shared, servers } = pair(2);
  shared.hold();
  expect(await taken(servers[0], 3)).toEqual([true, true, false]);
  expect(shared.asked).toEqual([[`${KEY}+0`]]);
});

test('while the database is unavailable the server counts alone, and adds its counts later', async () => {
  const { shared, servers, ends } = pair(2);
  shared.setAway(true);
  expect(await taken(servers[0], 3)).toEqual([true, true, false]);
  expect(await taken(servers[0], 1, keySubject('b'))).toEqual([true]);
  expect(shared.asked).toEqual([[`${KEY}+0`]]);
  expect(shared.failures).toHaveLength(1);
  shared.setAway(false);
  await Promise.all(ends.map((end) => end()));
  expect([...shared.totals.values()]).toEqual([2, 1]);
});

test('a restart of the counters reaches the database and so the other servers', async () => {
  const { shared, servers, ends } = pair(2);
  await taken(servers[0], 2);
  await ends[0]();
  expect(await taken(servers[1], 1)).toEqual([false]);
  servers[1].configure({ max: 2, windowSeconds: 60 });
  expect(await taken(servers[1], 3)).toEqual([true, true, false]);
  await ends[1]();
  expect([...shared.totals.values()]).toEqual([2]);
});

test('windows follow the clock of the database', async () => {
  const { hand, now } = clock();
  const shared = sharedCounts(() => now() + 30_000);
  const limits = new RateLimiter({ max: 2, windowSeconds: 60 }, now);
  const end = limits.share(shared.counts);
  await limits.take(KEY);
  expect(limits.peek(KEY)).toMatchObject({ resetsAt: 1_800_000_120, retryAfterSeconds: 42 });
  expect(hand.at).toBe(NOW);
  await end();
});

test('unauthenticated callers from many addresses do not delay the counts of a key', async () => {
  const { hand, shared, servers, ends } = pair(5);
  hand.at += 12_500;
  const strangers = Array.from({ length: 3000 }, (_, n) => addressSubject(`10.1.${Math.floor(n / 250)}.${n % 250}`));
  for (const stranger of strangers) await servers[0].take(stranger);
  await servers[0].take(KEY);
  await Promise.all(ends.map((end) => end()));
  expect(shared.asked[0]).toHaveLength(2000);
  expect(shared.asked[0]?.[0]).toBe(`${KEY}+1`);
});
