import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withProviderDeadline } from '../../../../../src/server/providers/call-runner.ts';
import type { TargetClients } from '../../../../../src/server/providers/clients.ts';
import type { EmbedOptions } from '../../../../../src/server/providers/embedders/types.ts';
import { embedQuery } from '../../../../../src/server/service/retrieval/query-vectors.ts';
import { createTargetOpener } from '../../../../../src/server/service/targets/open-target.ts';
import type { Queryable } from '../../../../../src/server/store/db.ts';
import type { EmbedderRow } from '../../../../../src/server/store/embedders.ts';
import { openLog } from '../../../../support/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

function sleep(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(ended.reason);
    });
  });
}

/** Of the calls of one test, by embedder. */
const scopes = new Map<string, AbortSignal>();
beforeEach(() => scopes.clear());

/** The embedders whose calls have been aborted, an hour later: a deadline that was not stopped comes within that time. */
async function abortedInTheEnd(): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(3_600_000);
  return [...scopes].flatMap(([id, { aborted }]) => (aborted ? [id] : []));
}

/** Embedders that answer after so many milliseconds, within the bounds of a call. */
function embedding(delays: Readonly<Record<string, number>>) {
  const answer = (id: string, { signal: ended, deadlineMs }: EmbedOptions) =>
    withProviderDeadline({ signal: ended, deadlineMs, peer: id }, async (scope) => {
      scopes.set(id, scope.signal);
      await sleep(delays[id] ?? 0, scope.signal);
      return [Float32Array.of(1)];
    });
  const clients = {
    embedder: ({ id }: { id: string }) => ({ embed: (_: unknown, options: EmbedOptions) => answer(id, options) }),
  } as unknown as TargetClients;
  const rows = Object.keys(delays).map((id) => ({ id, providerType: 'OPENAI', credentials: null }) as EmbedderRow);
  // Every row is given: nothing is read.
  const targets = createTargetOpener({ pool: {} as Queryable, secretsKey: undefined, clients });
  const deps = { targets, providerTimeoutMs: 60_000 };
  const weighted = rows.map(({ id }) => ({
    embedderId: id,
    weight: 1,
    vectorCount: 1,
    layout: { version: 0, segments: [] },
  }));
  const plan = {
    spaces: [{ spaceId: 's', embedders: weighted, filter: undefined }],
    embedders: new Map(rows.map((row) => [row.id, row])),
  };
  return embedQuery(deps, 'question', plan, { signal, log: openLog() });
}

const codes = ({ statuses }: Awaited<ReturnType<typeof embedding>>) =>
  statuses.map(({ event }) => (event.case === 'status' ? event.value.code : ''));

test('each embedder has its own timeout, however early the others answer', async () => {
  const outcome = embedding({ fast: 10, middle: 4000, slow: 54_000 });
  await vi.advanceTimersByTimeAsync(54_000);
  const query = await outcome;
  expect([...query.vectors.keys()]).toEqual(['fast', 'middle', 'slow']);
  expect(codes(query)).toEqual([]);
  expect(await abortedInTheEnd()).toEqual([]);
});

test('one that times out is left out, and the others are served', async () => {
  const outcome = embedding({ fast: 10, slow: 61_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  const query = await outcome;
  expect([...query.vectors.keys()]).toEqual(['fast']);
  expect(codes(query)).toEqual(['EMBEDDER_TIMEOUT', 'PARTIAL_RESULTS']);
  expect(await abortedInTheEnd()).toEqual(['slow']);
});
