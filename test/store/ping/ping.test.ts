import { describe, expect, test } from 'vitest';
import type { Json, Wire } from '../../support/wire.ts';
import { targets, usePing } from './ping.fixture.ts';

const ping = usePing();
const UNKNOWN = '01980000-0000-7000-8000-00000000dead';

/** One row each: REST, gRPC. */
const both = [0, 1] as const;
const wireOf = (index: number): Wire => {
  const wire = ping.wires[index];
  if (wire === undefined) throw new Error('the servers have not started');
  return wire;
};

const endpoint = (targetId: string) => ({
  targetType: 'EMBEDDER',
  targetId,
  resolvedEndpoint: `${ping.standIn.url}/v1/embeddings`,
  provider: 'OPENAI',
  modelIdentifier: 'text-small',
});

describe.each(both)('wire %i', (index) => {
  const stream = (config: Record<string, unknown>, key = 'owner') => wireOf(index).call('ping', config, { key });
  const once = (request: Record<string, unknown>, key = 'owner') => wireOf(index).call('pingOnce', request, { key });

  test('streams notices, results and the summary', async () => {
    ping.standIn.next({ kind: 'status', status: 500 }, { kind: 'drop' });
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
    expect(ping.probes.map(({ result }) => result).toSorted()).toEqual(['error', 'error', 'ok']);
    expect(ping.standIn.requests.map(({ body }) => body.input)).toEqual(Array(3).fill(['ping'.repeat(16)]));
  });

  test('clamps the count with a notice', async () => {
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
    expect(ping.standIn.requests.map(({ body }) => body.input)).toEqual([['hello']]);
    expect(ping.probes).toEqual([{ targetType: 'EMBEDDER', result: 'ok' }]);
  });

  test('counts a late probe as a time-out', async () => {
    ping.standIn.always({ kind: 'hang' });
    const answer = await once({ targetId: targets.own, timeoutMs: 20 });
    expect(answer).toMatchObject({ ok: true, body: { ok: false } });
    expect(ping.probes).toEqual([{ targetType: 'EMBEDDER', result: 'timeout' }]);
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
    expect(ping.standIn.requests).toEqual([]);
  });

  test.each(['count', 'intervalMs', 'maxInFlight'])('refuses a negative %s', async (field) => {
    const answer = await stream({ targetId: targets.own, [field]: -1 });
    expect(answer).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', events: [] });
  });
});

test('a client abort over REST stops the probes', async () => {
  ping.standIn.always({ kind: 'hang' });
  const leaving = new AbortController();
  const before = ping.standIn.requests.length;
  const call = fetch(`${ping.restUrl}/v1/ping:stream`, {
    method: 'POST',
    headers: { 'x-api-key': 'owner', 'content-type': 'application/json' },
    body: JSON.stringify({ targetId: targets.own, intervalMs: 10, maxInFlight: 2 }),
    signal: leaving.signal,
  });
  await ping.standIn.received(before + 2);
  leaving.abort();
  await expect(call).rejects.toThrow();
  await ping.idle();
  expect(ping.logged).toEqual([]);
  expect(ping.probes).toEqual([]);
});
