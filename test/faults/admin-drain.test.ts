import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { expectedHealth, HealthClient } from '../support/grpc-health.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { raw } from '../support/raw-rest.ts';
import { restWire } from '../support/rest-wire.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { Stage } from '../support/stage.ts';
import { TeiStandIn } from '../support/stand-ins/tei.ts';
import type { Wire } from '../support/wire.ts';

let database: TestDatabase;
let server: TestServer;
let grpc: Wire;
let health: HealthClient;
let rest: Stage;
let provider: TeiStandIn;

beforeEach(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), TeiStandIn.start({ dimensions: 8 })]);
  server = await startServer({ databaseFlags: database.serverFlags, flags: ['--worker-parallelism', '1'] });
  grpc = grpcWire(server.grpc);
  health = new HealthClient(server.grpc);
  rest = new Stage(restWire(server.rest), server, { key: await server.init(), userId: '' });
});
afterEach(async () => {
  grpc.close();
  health.close();
  await server.end('SIGKILL');
  await provider.close();
  await database.drop();
});

const key = () => rest.caller.key;
const state = async () => (await raw(server, '/readyz')).json.state;
const overGrpc = async (request: Record<string, unknown>) => {
  const answer = await grpc.call('drain', request, { key: key() });
  if (!answer.ok) throw new Error(`drain answered ${answer.code}`);
  return answer.body;
};

/** A job that ends when `release` is called, and a memory that waits behind it. */
async function hold(): Promise<{ release: () => void; running: string; waiting: string }> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.always({ kind: 'held', until });
  const target = { displayName: 'held', providerType: 'TEI', endpointUrl: provider.url, modelIdentifier: 'm' };
  const { embedderId } = await rest.ok('createEmbedder', { ...target, dimensionality: 8 });
  const { spaceId } = await rest.space({ embedderId });
  const running = await rest.memory({ spaceId, waitMs: 0 });
  await provider.received(1);
  const waiting = await rest.memory({ spaceId, waitMs: 0 });
  return { release, running: running.memoryId, waiting: waiting.memoryId };
}

test('a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout', async () => {
  expect(await health.statuses()).toEqual(expectedHealth({ ready: true, started: true }));
  const watched = ['', 'readiness', 'liveness', 'startup', 'service.v1.MemoryService'].map((name) =>
    health.watch(name),
  );
  await expect.poll(() => watched.every((seen) => seen.length === 1)).toBe(true);
  const { release, running, waiting } = await hold();
  const other = await rest.space();
  const statusOf = async (memoryId: string) => (await rest.ok('getMemory', { memoryId })).processingStatus;
  expect([await statusOf(running), await statusOf(waiting)]).toEqual(['PROCESSING', 'PENDING']);
  const session = connect(server.grpc);
  await once(session, 'connect');
  const goaway = once(session, 'goaway');

  const atOnce = { state: 'DRAINING', quiesced: false, message: '1 request or job is still running' };
  const answer = await raw(server, 'POST /v1/admin:drain', { key: key() });
  expect([answer.status, answer.json]).toEqual([200, atOnce]);
  expect(answer.headers.get('connection')).toBe('close');
  await goaway;
  session.destroy();
  expect(await rest.ok('drain', { reason: 'An upgrade of the machine' })).toEqual(atOnce);
  // The log comes another way than the answer, and may come later.
  const logged = () => server.logs.filter((line) => (line as { msg?: string }).msg === 'asked to drain');
  await expect.poll(() => logged().at(-1)).toMatchObject({ reason: 'An upgrade of the machine', state: 'DRAINING' });

  // The time ends first; what is running is the job alone, and not the calls that wait for its end.
  const still = { ...atOnce, message: '1 request or job is still running after 0 s' };
  expect(await rest.ok('drain', { waitForQuiesce: true, timeoutSec: 0 })).toEqual(still);
  const leaving = new AbortController();
  const left = rest.wire.call('drain', { waitForQuiesce: true }, { key: key(), signal: leaving.signal });
  const waits = [rest.ok('drain', { waitForQuiesce: true }), overGrpc({ waitForQuiesce: true, timeoutSec: 86_400 })];
  expect(await overGrpc({ waitForQuiesce: true, timeoutSec: 1 })).toEqual({
    ...still,
    message: '1 request or job is still running after 1 s',
  });
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(await state()).toBe('DRAINING');

  await refusedAndServed(other.spaceId, waiting);

  release();
  for (const body of await Promise.all(waits)) expect(body).toEqual({ state: 'QUIESCED', quiesced: true });
  // The worker ended its job and took no other.
  expect(await statusOf(running)).toBe('COMPLETED');
  const memory = await rest.ok('getMemory', { memoryId: waiting, includeProcessingHistory: true });
  expect(memory).toMatchObject({ processingStatus: 'PENDING', processingHistory: { attempts: [] } });

  await refusedAndServed(other.spaceId, waiting);
  expect(await overGrpc({})).toEqual({ state: 'QUIESCED', quiesced: true });
  expect((await rest.ok('getSystemStatus')).state).toBe('QUIESCED');
  const [ended, steady] = [['SERVING', 'NOT_SERVING'], ['SERVING']];
  expect(watched).toEqual([ended, ended, steady, steady, ended]);
  expect(await state()).toBe('QUIESCED');
  expect(await server.end('SIGTERM')).toBe(0);
});

/** What holds on both wires in DRAINING and QUIESCED alike. */
async function refusedAndServed(spaceId: string, memoryId: string): Promise<void> {
  for (const path of ['/health', '/livez', '/startupz']) expect((await raw(server, path)).status).toBe(200);
  expect((await raw(server, '/readyz')).status).toBe(503);
  expect(await health.statuses()).toEqual(expectedHealth({ ready: false, started: true }));
  const read = await raw(server, '/v1/spaces', { key: key() });
  expect([read.status, read.headers.get('connection')]).toEqual([200, 'close']);
  const embedderId = await rest.embedder();
  const calls = [
    ['getSpace', { spaceId }],
    ['listMemories', { spaceId }],
    ['getMemory', { memoryId }],
    ['batchGetMemory', { memoryIds: [memoryId] }],
    ['retrieveMemory', { message: 'text', spaceKeys: [{ spaceId }] }],
    ['pingOnce', { targetId: embedderId }],
    ['purgeBackgroundJobs', { olderThan: '2020-01-01T00:00:00Z', dryRun: true }],
    ['reloadLicense', {}],
    ['getSystemStatus', {}],
  ] as const;
  const refused = [
    ['createSpace', { name: 'late', embedderId }],
    ['updateSpace', { spaceId, name: 'late' }],
    ['deleteSpace', { spaceId }],
    ['createMemory', { spaceId, contentType: 'text/plain', originalContent: 'late' }],
  ] as const;
  for (const wire of [rest.wire, grpc]) {
    for (const [operation, request] of calls) {
      expect(await wire.call(operation, request, { key: key() })).toMatchObject({ ok: true });
    }
    for (const [operation, request] of refused) {
      expect(await wire.call(operation, request, { key: key() })).toMatchObject({ ok: false, code: 'UNAVAILABLE' });
    }
  }
}

test('a drain of an idle server ends at once, and the server runs until a signal', async () => {
  expect(await overGrpc({ waitForQuiesce: true, timeoutSec: 60 })).toEqual({ state: 'QUIESCED', quiesced: true });
  const answer = await raw(server, 'POST /v1/admin:drain', { key: key(), body: { waitForQuiesce: 'true' } });
  expect(answer.json).toEqual({ state: 'QUIESCED', quiesced: true });
  expect(answer.headers.get('connection')).toBe('close');
  for (const [path, expected] of Object.entries({ '/health': 200, '/livez': 200, '/startupz': 200, '/readyz': 503 })) {
    const { status, json } = await raw(server, path);
    expect([path, status, json]).toEqual([path, expected, { state: 'QUIESCED', started: true }]);
  }
  expect(server.process.exitCode).toBeNull();
  expect(await server.end('SIGTERM')).toBe(0);
});
