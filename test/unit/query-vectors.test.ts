import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EmbedderRegistry } from '../../src/server/providers/embedders/registry.ts';
import type { EmbedderRecord, EmbedOptions } from '../../src/server/providers/embedders/types.ts';
import { embedQuery } from '../../src/server/service/retrieval/query-vectors.ts';
import { openLog } from '../store/identity-fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

/** Embedders that answer after so many milliseconds; Infinity is never. */
function embedding(delays: Readonly<Record<string, number>>) {
  const answer = (id: string, { signal: ended }: EmbedOptions) =>
    new Promise<Float32Array[]>((resolve, reject) => {
      const timer = setTimeout(() => resolve([Float32Array.of(1)]), Math.min(delays[id] ?? 0, 2 ** 31 - 1));
      ended.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(ended.reason);
      });
    });
  const registry = {
    client: ({ id }: EmbedderRecord) => ({ embed: (_: unknown, options: EmbedOptions) => answer(id, options) }),
  } as unknown as EmbedderRegistry;
  const records = Object.keys(delays).map((id) => ({ id, providerType: 'OPENAI' }) as EmbedderRecord);
  const deps = { registry, loadEmbedders: async () => records, providerTimeoutMs: 60_000 };
  const embedders = records.map(({ id }) => ({ embedderId: id, weight: 1, vectorCount: 1, ownPartition: false }));
  return embedQuery(deps, 'question', [{ spaceId: 's', embedders, filter: undefined }], { signal, log: openLog() });
}

const codes = ({ statuses }: Awaited<ReturnType<typeof embedding>>) =>
  statuses.map(({ event }) => (event.case === 'status' ? event.value.code : ''));

test('the slowest embedder is waited for 5 s after the first has answered, and then the rest is served', async () => {
  const outcome = embedding({ fast: 10, middle: 4000, slow: Number.POSITIVE_INFINITY });
  await vi.advanceTimersByTimeAsync(5011);
  const query = await outcome;
  expect([...query.vectors.keys()]).toEqual(['fast', 'middle']);
  expect(codes(query)).toEqual(['EMBEDDER_TIMEOUT', 'PARTIAL_RESULTS']);
  expect(vi.getTimerCount()).toBe(0);
});

test('nobody is hurried while there is no answer yet', async () => {
  const outcome = embedding({ slow: 50_000, other: 54_000 });
  await vi.advanceTimersByTimeAsync(54_000);
  expect(codes(await outcome)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
