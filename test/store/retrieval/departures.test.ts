import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ChatStandIn } from '../../support/stand-ins/chat.ts';
import { RerankStandIn } from '../../support/stand-ins/rerankers.ts';
import { sql } from '../identity.fixture.ts';
import { at, type RetrievalWorld, useRetrievalWorld } from './retrieval.fixture.ts';

/** Nobody waits that long; it tells the timers of the calls from those of everybody else. */
const TIMEOUT_MS = 77_777;
const ALL_BUT_STARTED_MS = TIMEOUT_MS - 30_000;

const world = useRetrievalWorld();
let reranker: RerankStandIn;
let chat: ChatStandIn;
let request: Parameters<RetrievalWorld['open']>[0];
beforeAll(async () => {
  reranker = await RerankStandIn.start('COHERE');
  chat = await ChatStandIn.start();
  const spaceId = await world.space([await world.embedder()]);
  await world.add(
    spaceId,
    [1, 2].map((day) => ({ chunks: [[at(day)], [at(day + 9)]], createdAt: new Date(Date.UTC(2026, 0, day)) })),
  );
  const config = {
    reranker_id: await world.reranker(reranker.endpointUrl),
    llm_id: await world.llm(chat.endpointUrl),
    llm_temp: 9,
  };
  request = { message: 'chunk 1', spaceKeys: [{ spaceId }], explain: true, postProcessor: { config } };
});
afterEach(() => {
  for (const standIn of [world.standIn, reranker, chat]) standIn.always(undefined);
});
afterAll(async () => {
  await reranker.close();
  await chat.close();
});

/** Runs `work` and returns how many of the timers with which calls are bounded it has left behind. */
async function timersLeft(work: () => Promise<void>): Promise<number> {
  const open = new Set<unknown>();
  const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
  globalThis.setTimeout = ((run: () => void, ms?: number) => {
    const timer = set(run, ms);
    if ((ms ?? 0) >= ALL_BUT_STARTED_MS && (ms ?? 0) < 20 * TIMEOUT_MS) open.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((timer: Parameters<typeof clearTimeout>[0]) => {
    open.delete(timer);
    clear(timer);
  }) as typeof clearTimeout;
  try {
    await work();
    return open.size;
  } finally {
    globalThis.setTimeout = set;
    globalThis.clearTimeout = clear;
  }
}

/** Reads `count` events and leaves, as a wire does when its client has gone. */
async function leaveAfter(count: number): Promise<string[]> {
  const leaving = new AbortController();
  const events = world.open(request, { signal: leaving.signal, timeoutMs: TIMEOUT_MS })[Symbol.asyncIterator]();
  const seen: string[] = [];
  for (let n = 0; n < count; n++) seen.push(Object.keys((await events.next()).value ?? {}).join());
  leaving.abort(new Error('the client left'));
  await events.return?.();
  return seen;
}

function nothingIsUsed(): void {
  expect(world.db.stats().main.used).toBe(0);
}

test('a client abort after any event leaves nothing behind', async () => {
  const whole = await world.retrieve(request, { timeoutMs: TIMEOUT_MS });
  expect(whole.map((event) => Object.keys(event).join())).toEqual([
    'status',
    'resultSetBoundary',
    ...['memoryDefinition', 'retrievedItem', 'retrievedItem', 'memoryDefinition', 'retrievedItem', 'retrievedItem'],
    'resultSetBoundary',
    'abstractReply',
    'status',
  ]);
  const asked = chat.requests.length;
  const timers = await timersLeft(async () => {
    for (let count = 0; count <= whole.length; count++) {
      expect(await leaveAfter(count)).toHaveLength(count);
      nothingIsUsed();
    }
  });
  expect(timers).toBe(0);
  // Only those who waited for the reply had the LLM asked.
  expect(chat.requests.length - asked).toBe(2);
});

describe('a client abort cancels the outgoing call', () => {
  test.each([
    ['to the embedder', () => world.standIn, 'hang'],
    ['to the reranker', () => reranker, 'hang'],
    ['to the LLM', () => chat, 'hang'],
    ['to the LLM that has begun to answer', () => chat, 'stall'],
  ] as const)('%s', async (_name, standInOf, kind) => {
    const standIn = standInOf();
    standIn.always({ kind });
    const [received, left] = [standIn.requests.length, standIn.abandoned];
    const timers = await timersLeft(async () => {
      const leaving = new AbortController();
      const more = { signal: leaving.signal, timeoutMs: TIMEOUT_MS };
      const events = world.retrieve(request, more).catch((error: unknown) => error);
      await standIn.received(received + 1);
      leaving.abort(new Error('the client left'));
      expect(await events).toMatchObject({ message: 'the client left' });
      await standIn.left(left + 1);
    });
    expect(timers).toBe(0);
    nothingIsUsed();
  });

  test('to the database', async () => {
    const leaving = new AbortController();
    await world.db.background.withTx(async (tx) => {
      await tx.script('lock table memory in access exclusive mode');
      const more = { signal: leaving.signal, timeoutMs: TIMEOUT_MS };
      const events = world.retrieve(request, more).catch((error: unknown) => error);
      await until(async () => (await waitingStatements()) > 0);
      leaving.abort(new Error('the client left'));
      expect(await events).toBeInstanceOf(Error);
      await until(async () => (await waitingStatements()) === 0);
    });
    // A canceled session is free once the server has said so.
    await until(async () => world.db.stats().main.used === 0);
  });
});

/** Statements that wait for a lock; with a single session, calls that wait for it. */
async function waitingStatements(): Promise<number> {
  if (world.db.capabilities.sessions === 'one') return world.db.stats().main.waiting;
  const text = `select count(*)::int4 as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  return (await sql<{ count: number }>(world.db, text))[0]?.count ?? 0;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
