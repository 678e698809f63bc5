import { expect, test } from 'vitest';
import { ProviderError } from '../../../../../src/server/providers/errors.ts';
import { EmbedderCircuits } from '../../../../../src/server/service/ingest/embedder-circuits.ts';
import { CircuitOpen } from '../../../../../src/server/service/ingest/failed-attempt.ts';

test('the open time grows with every failure in the half-open state, up to a minute, and a success closes the circuit', async () => {
  let now = 1_800_000_000_000;
  const circuits = new EmbedderCircuits(() => now);
  const embedder = { id: 'e', updatedAt: 1 };
  const job = { giveUpAfterMinutes: 60, unavailableSince: null };
  const fail = (retryAfterMs?: number) => {
    const error = new ProviderError('unavailable', 'refused', {
      away: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    return circuits.call(embedder, () => Promise.reject(error)).catch(() => undefined);
  };
  const wait = () => {
    try {
      circuits.check([embedder], job);
      return 0;
    } catch (error) {
      return error instanceof CircuitOpen ? error.until - now : undefined;
    }
  };
  const waits = [];
  for (let failures = 0; failures < 5; failures += 1) {
    // Calls that were under way together.
    await Promise.all([fail(), fail(), fail()]);
    waits.push(wait());
    now += wait() ?? 0;
    expect(wait()).toBe(0);
  }
  expect(waits).toEqual([800, 8000, 48_000, 60_000, 60_000]);
  await fail(90_000);
  expect(wait()).toBe(90_000);
  // One that began before the failure says nothing about what came later.
  const early = circuits.call(embedder, () => new Promise((resolve) => setTimeout(resolve, 1)));
  now += 1;
  await fail(100_000);
  await early;
  expect(wait()).toBe(100_000);
  now += 100_000;
  await circuits.call(embedder, () => Promise.resolve());
  expect(circuits.isEmpty).toBe(true);
  await fail();
  expect(wait()).toBe(800);
});
