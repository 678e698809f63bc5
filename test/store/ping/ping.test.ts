import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials, type ServiceError as GrpcError, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/server/context.ts';
import { Lifecycle } from '../../../src/server/lifecycle.ts';
import { createLogger } from '../../../src/server/log.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp, type ProviderHttp } from '../../../src/server/providers/http.ts';
import { createPingHandlers, type ProbeEvent } from '../../../src/server/service/ping/handlers.ts';
import { newId } from '../../../src/server/service/resources.ts';
import { createTargetOpener } from '../../../src/server/service/targets/open-target.ts';
import { embedderStore } from '../../../src/server/store/embedders.ts';
import { insertUser } from '../../../src/server/store/users.ts';
import { Calls } from '../../../src/server/transport/calls.ts';
import { type RunningGrpc, startGrpc } from '../../../src/server/transport/grpc/server.ts';
import { type RunningRest, startRest } from '../../../src/server/transport/rest/server.ts';
import {
  type PingClientMessage,
  PingClientMessageSchema,
  PingControl,
  type PingServerMessage,
  PingServerMessageSchema,
  PingService,
  TargetType,
} from '../../../src/shared/gen/service/v1/ping_pb.ts';
import type { RoleName } from '../../../src/shared/identity.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { restWire } from '../../support/rest-wire.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import type { Json, Wire } from '../../support/wire.ts';
import { newTarget } from '../target.fixture.ts';

const DIMENSIONS = 8;
const UNKNOWN = '01980000-0000-7000-8000-00000000dead';
const users = { root: newId(), owner: newId(), other: newId() };
const roles: Record<keyof typeof users, RoleName> = { root: 'ROOT', owner: 'USER', other: 'USER' };
const targets = { shared: newId(), own: newId(), builtin: newId() };
const probes: ProbeEvent[] = [];
const logged: string[] = [];
const lifecycle = new Lifecycle();
let database: TestDatabase;
let standIn: OpenAiStandIn;
let http: ProviderHttp;
let rest: RunningRest;
let grpc: RunningGrpc;
const wires: Wire[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  standIn = await OpenAiStandIn.start({ dimensions: DIMENSIONS });
  http = createProviderHttp({ policy: LOOPBACK_POLICY });
  const db = await database.connect();
  for (const [name, userId] of Object.entries(users)) {
    const role = roles[name as keyof typeof users];
    await insertUser(db.main, { userId, email: `${name}@example.org`, displayName: name, username: null, role });
  }
  const insert = (embedderId: string, ownerId: string, providerType = 'OPENAI') =>
    embedderStore.insert(db.main, embedder(embedderId, ownerId, providerType));
  await insert(targets.shared, users.root);
  await insert(targets.own, users.owner);
  await insert(targets.builtin, users.root, 'BUILTIN');

  const builtin = async (texts: readonly string[], dimensions: number) =>
    texts.map(() => new Float32Array(dimensions).fill(1));
  const clients = createTargetClients({ http, timeoutMs: 20_000, builtin });
  const handlers = createPingHandlers({
    targets: createTargetOpener({ pool: db.main, secretsKey: undefined, clients }),
    observe: (event) => probes.push(event),
  });
  const log = createLogger({ level: 'warn', format: 'json', stream: { write: (line) => logged.push(line) } });
  const calls = new Calls(lifecycle, log);
  calls.serve({ handlers, authenticate: async (key) => callerNamed(key) });
  lifecycle.ready();
  const common = { host: '127.0.0.1', port: 0, tls: undefined, version: 'test' };
  rest = await startRest(calls, lifecycle, log, { ...common, maxBodyBytes: 4_000_000 });
  grpc = await startGrpc(calls, lifecycle, log, { ...common, maxMessageBytes: 4_000_000 });
  wires.push(restWire(`http://127.0.0.1:${rest.port}`), grpcWire(`127.0.0.1:${grpc.port}`));
});

afterAll(async () => {
  for (const wire of wires) wire.close();
  rest?.destroy();
  grpc?.destroy();
  await http?.close();
  await standIn?.close();
  await database?.drop();
});

beforeEach(() => {
  standIn.always(undefined);
  standIn.requests.length = 0;
  probes.length = 0;
  logged.length = 0;
});

function callerNamed(key: string): Caller | undefined {
  const [name, restriction] = key.split('/');
  const userId = users[name as keyof typeof users];
  if (userId === undefined) return undefined;
  return {
    userId,
    apiKeyId: newId(),
    role: roles[name as keyof typeof users],
    readOnly: restriction === 'read-only',
    spaceIds: restriction === 'space-bound' ? new Set([newId()]) : undefined,
  };
}

function embedder(id: string, ownerId: string, providerType: string) {
  return {
    ...newTarget(id, ownerId, { providerType }),
    endpointUrl: providerType === 'BUILTIN' ? '' : `${standIn.url}/v1`,
    apiPath: providerType === 'BUILTIN' ? '' : '/embeddings',
    modelIdentifier: providerType === 'BUILTIN' ? 'lexical-v1' : 'text-small',
    dimensionality: DIMENSIONS,
    distributionType: 'DENSE',
    maxSequenceLength: null,
  };
}

/** One row each: REST, gRPC. */
const both = [0, 1] as const;
const wireOf = (index: number): Wire => {
  const wire = wires[index];
  if (wire === undefined) throw new Error('the servers have not started');
  return wire;
};

const endpoint = (targetId: string) => ({
  targetType: 'EMBEDDER',
  targetId,
  resolvedEndpoint: `${standIn.url}/v1/embeddings`,
  provider: 'OPENAI',
  modelIdentifier: 'text-small',
});

describe.each(both)('wire %i', (index) => {
  const stream = (config: Record<string, unknown>, key = 'owner') => wireOf(index).call('ping', config, { key });
  const once = (request: Record<string, unknown>, key = 'owner') => wireOf(index).call('pingOnce', request, { key });

  test('streams notices, results and the summary', async () => {
    standIn.next({ kind: 'status', status: 500 }, { kind: 'drop' });
    const answer = await stream({
      targetId: targets.own.toUpperCase(),
      targetTypeHint: 'EMBEDDER',
      count: 3,
      intervalMs: 1,
      maxInFlight: 99,
      labels: { team: 'x' },
    });
    expect(answer).toMatchObject({ ok: true });
    expect(answer.events.map((event: Json) => Object.keys(event)[0])).toEqual([
      'notice',
      'notice',
      'result',
      'result',
      'result',
      'summary',
    ]);
    const [interval, inFlight] = answer.events.map((event: Json) => event.notice);
    expect(interval).toMatchObject({ code: 'INTERVAL_CLAMPED', details: { requested: '1', applied: '10' } });
    expect(inFlight).toMatchObject({ code: 'IN_FLIGHT_CLAMPED', details: { requested: '99', applied: '16' } });
    const results = answer.events.slice(2, 5).map((event: Json) => event.result);
    expect(results.map(({ seq }: Json) => seq).toSorted()).toEqual([1, 2, 3]);
    // Probes overtake each other, so that any of the three may have met the broken connection.
    const byStatus = results.toSorted((a: Json, b: Json) => (a.httpStatus ?? 0) - (b.httpStatus ?? 0));
    expect(byStatus).toMatchObject([{ ok: false }, { ok: true, httpStatus: 200 }, { ok: false, httpStatus: 500 }]);
    expect(byStatus[0]).not.toHaveProperty('httpStatus');
    expect(byStatus[1]).not.toHaveProperty('errorMessage');
    for (const result of results) {
      expect(result).toMatchObject({ endpoint: endpoint(targets.own), metadata: { team: 'x' } });
      expect(result.bytesSent).toBeGreaterThan(64);
      expect(result.timing).toMatchObject({ serverReceivedTimeUnixNanos: 0, serverSendTimeUnixNanos: 0 });
      expect(typeof result.errorMessage).toBe(result.ok ? 'undefined' : 'string');
    }
    expect(answer.events[5]?.summary).toMatchObject({
      endpoint: endpoint(targets.own),
      requests: 3,
      responses: 2,
      ok: 1,
      timeouts: 0,
      errors: 2,
      appliedLimits: { intervalMs: '10', maxInFlight: '16' },
    });
    expect(probes.map(({ result }) => result).toSorted()).toEqual(['error', 'error', 'ok']);
    expect(standIn.requests.map(({ body }) => body.input)).toEqual(Array(3).fill(['ping'.repeat(16)]));
  });

  test('cuts the count and says so', async () => {
    const { events } = await stream({ targetId: targets.shared, count: 1000, intervalMs: 10, maxInFlight: 16 });
    expect(events[0]).toEqual({
      notice: {
        code: 'COUNT_CLAMPED',
        message: 'Probe count was reduced',
        details: { requested: '1000', applied: '100' },
      },
    });
    expect(events).toHaveLength(102);
    expect(events.at(-1)?.summary).toMatchObject({ requests: 100, ok: 100, appliedLimits: { count: '100' } });
  });

  test('probes once', async () => {
    const answer = await once({ targetId: targets.own, payload: 'hello', timeoutMs: 90_000 });
    expect(answer).toMatchObject({
      ok: true,
      body: { endpoint: endpoint(targets.own), seq: 1, ok: true, httpStatus: 200 },
    });
    expect(answer).toMatchObject({ body: { metadata: { 'clamped.timeoutMs': '60000' } } });
    expect(standIn.requests.map(({ body }) => body.input)).toEqual([['hello']]);
    expect(probes).toEqual([{ targetType: 'EMBEDDER', result: 'ok' }]);
  });

  test('counts a probe that is too late as a time-out', async () => {
    standIn.always({ kind: 'hang' });
    const answer = await once({ targetId: targets.own, timeoutMs: 20 });
    expect(answer).toMatchObject({ ok: true, body: { ok: false } });
    expect(probes).toEqual([{ targetType: 'EMBEDDER', result: 'timeout' }]);
  });

  test('probes the built-in embedder in the process', async () => {
    const answer = await once({ targetId: targets.builtin });
    expect(answer).toMatchObject({
      ok: true,
      body: { ok: true, endpoint: { provider: 'BUILTIN', resolvedEndpoint: 'builtin:lexical-v1' }, bytesSent: 64 },
    });
    const { events } = await stream({ targetId: targets.builtin, count: 1 });
    expect(events.at(-1)?.summary).toMatchObject({ requests: 1, responses: 1, ok: 1 });
  });

  test.each([
    { who: 'root', target: 'own', expected: undefined },
    { who: 'other', target: 'shared', expected: undefined },
    { who: 'other', target: 'own', expected: 'PERMISSION_DENIED' },
    { who: 'owner/read-only', target: 'own', expected: 'PERMISSION_DENIED' },
    { who: 'owner/space-bound', target: 'shared', expected: 'PERMISSION_DENIED' },
    { who: 'stranger', target: 'shared', expected: 'UNAUTHENTICATED' },
  ] as const)('$who pings $target: $expected', async ({ who, target, expected }) => {
    const targetId = targets[target];
    const answers = [await once({ targetId }, who), await stream({ targetId, count: 1 }, who)];
    const codes = answers.map((answer) => (answer.ok ? undefined : answer.code));
    expect(codes).toEqual([expected, expected]);
  });

  test.each([
    { request: { targetId: UNKNOWN }, message: `Target not found: ${UNKNOWN}` },
    { request: { targetId: UNKNOWN, targetTypeHint: 'EMBEDDER' }, message: `Embedder not found: ${UNKNOWN}` },
    {
      request: { targetId: targets.own, targetTypeHint: 'RERANKER' },
      message: `Reranker not found: ${targets.own}`,
    },
    { request: { targetId: targets.own, targetTypeHint: 'LLM' }, message: `LLM not found: ${targets.own}` },
  ])('$message', async ({ request, message }) => {
    for (const answer of [await once(request), await stream(request)]) {
      expect(answer).toMatchObject({ ok: false, code: 'NOT_FOUND', message, events: [] });
    }
  });

  test.each([
    { targetId: 'x' },
    {},
    { targetId: targets.own, timeoutMs: -1 },
    { targetId: targets.own, payloadSizeBytes: -1 },
    { targetId: targets.own, payloadType: 'BINARY' },
    { targetId: targets.own, payloadType: 'JSON', payload: '{' },
    { targetId: targets.own, payload: 'x', payloadSizeBytes: 1 },
    { targetId: targets.own, payload: 'é'.repeat(600_000) },
  ])('refuses a bad field (%#)', async (request) => {
    for (const answer of [await once(request), await stream(request)]) {
      expect(answer).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', events: [] });
    }
    expect(standIn.requests).toEqual([]);
  });

  test.each(['count', 'intervalMs', 'maxInFlight'])('refuses a negative %s', async (field) => {
    const answer = await stream({ targetId: targets.own, [field]: -1 });
    expect(answer).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', events: [] });
  });
});

test('a REST client that leaves stops the probes', async () => {
  standIn.always({ kind: 'hang' });
  const leaving = new AbortController();
  const before = standIn.requests.length;
  const call = fetch(`http://127.0.0.1:${rest.port}/v1/ping:stream`, {
    method: 'POST',
    headers: { 'x-api-key': 'owner', 'content-type': 'application/json' },
    body: JSON.stringify({ targetId: targets.own, intervalMs: 10, maxInFlight: 2 }),
    signal: leaving.signal,
  });
  await standIn.received(before + 2);
  leaving.abort();
  await expect(call).rejects.toThrow();
  await idle();
  expect(logged).toEqual([]);
  expect(probes).toEqual([]);
});

describe('the two-way stream', () => {
  let client: Client;
  beforeAll(() => {
    client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
  });
  afterAll(() => client.close());

  /** A call with its events in order, and how it ended. */
  function open() {
    const metadata = new Metadata();
    metadata.set('x-api-key', 'owner');
    const call: ClientDuplexStream<PingClientMessage, PingServerMessage> = client.makeBidiStreamRequest(
      '/service.v1.PingService/Ping',
      (message: PingClientMessage) => Buffer.from(toBinary(PingClientMessageSchema, message)),
      (bytes: Buffer) => fromBinary(PingServerMessageSchema, bytes),
      metadata,
    );
    const events: PingServerMessage['event'][] = [];
    const waiting: (() => void)[] = [];
    call.on('data', ({ event }: PingServerMessage) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    });
    const ended = new Promise<GrpcError | undefined>((resolve) => {
      call.on('error', (error: GrpcError) => resolve(error));
      call.on('end', () => resolve(undefined));
    });
    const received = async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    return { call, events, ended, received };
  }

  const config = (extra: { count?: bigint; intervalMs?: bigint; maxInFlight?: bigint } = {}) =>
    create(PingClientMessageSchema, {
      message: {
        case: 'config',
        value: { targetId: targets.own, targetTypeHint: TargetType.EMBEDDER, count: 100n, intervalMs: 10n, ...extra },
      },
    });
  const control = (value: PingControl) => create(PingClientMessageSchema, { message: { case: 'control', value } });
  const errorCode = (error: GrpcError | undefined) => error?.metadata.get('x-error-code')[0];

  /** A call behind all that has been written: when it is answered, that has arrived. */
  const pingOnce = () =>
    new Promise<void>((resolve, reject) => {
      const { input } = PingService.method.pingOnce;
      client.makeUnaryRequest(
        '/service.v1.PingService/PingOnce',
        () => Buffer.from(toBinary(input, create(input, { targetId: targets.own }))),
        (bytes: Buffer) => bytes,
        {},
        Metadata.fromHttp2Headers({ 'x-api-key': 'owner' }),
        (error) => (error === null ? resolve() : reject(error)),
      );
    });

  test('starts nothing while it is paused, and goes on when it is resumed', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    standIn.next({ kind: 'held', until });
    const { call, events, ended, received } = open();
    call.write(config({ count: 3n }));
    await standIn.received(1);
    call.write(control(PingControl.PAUSE));
    await pingOnce();
    release();
    await received(1);
    // Several intervals: the next probe is long due.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pingOnce();
    expect([events.length, standIn.requests.length]).toEqual([1, 3]);
    call.write(control(PingControl.RESUME));
    expect(await ended).toBeUndefined();
    expect(events.map(({ case: name }) => name)).toEqual(['result', 'result', 'result', 'summary']);
    expect(standIn.requests).toHaveLength(5);
  });

  test('ends with the summary after CANCEL, without what was under way', async () => {
    standIn.next({ kind: 'slow', ms: 1 });
    standIn.always({ kind: 'hang' });
    const { call, events, ended, received } = open();
    call.write(config({ maxInFlight: 2n }));
    await received(1);
    await standIn.received(3);
    call.write(control(PingControl.CANCEL));
    expect(await ended).toBeUndefined();
    expect(events.map(({ case: name }) => name)).toEqual(['result', 'summary']);
    expect(events[1]?.value).toMatchObject({ requests: 1, responses: 1, ok: 1, timeouts: 0, errors: 0 });
    await idle();
  });

  test('goes on when the client has nothing more to say', async () => {
    const { call, events, ended } = open();
    call.write(config({ count: 2n }));
    call.end();
    expect(await ended).toBeUndefined();
    expect(events.at(-1)?.value).toMatchObject({ requests: 2, ok: 2 });
  });

  test('refuses a second config', async () => {
    standIn.always({ kind: 'hang' });
    const { call, events, ended } = open();
    call.write(config());
    await standIn.received(1);
    call.write(config());
    expect(errorCode(await ended)).toBe('INVALID_ARGUMENT');
    expect(events).toEqual([]);
    await idle();
  });

  test.each([
    { what: 'a control', message: control(PingControl.RESUME) },
    { what: 'nothing', message: undefined },
  ])('refuses to begin with $what', async ({ message }) => {
    const { call, events, ended } = open();
    if (message !== undefined) call.write(message);
    else call.end();
    expect(errorCode(await ended)).toBe('INVALID_ARGUMENT');
    expect(events).toEqual([]);
  });

  test.each([
    { when: 'before its config', sends: false },
    { when: 'while probes are under way', sends: true },
  ])('stops when the client leaves $when', async ({ sends }) => {
    standIn.always({ kind: 'hang' });
    const { call, ended } = open();
    const admitted = new Promise<void>((resolve) => call.on('metadata', () => resolve()));
    if (sends) {
      call.write(config({ maxInFlight: 2n }));
      await standIn.received(2);
    } else {
      await admitted;
    }
    call.cancel();
    expect((await ended)?.code).toBe(1);
    await idle();
    expect(logged).toEqual([]);
    expect(probes).toEqual([]);
  });
});

/** Resolves when no call is under way; a call that leaks runs into the time-out of its test. */
async function idle(): Promise<void> {
  while (lifecycle.running > 0) await new Promise((resolve) => setImmediate(resolve));
}
