import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ChatStandIn } from '../../support/stand-ins/chat.ts';
import { RerankStandIn } from '../../support/stand-ins/rerankers.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const results = (events: Json[]): Json[] => events.flatMap(({ result }) => (result === undefined ? [] : [result]));
const notices = (events: Json[]): Json[] => events.flatMap(({ notice }) => (notice === undefined ? [] : [notice]));

const SUMMARY = [
  ...['appliedLimits', 'bytesPerSecond', 'endpoint', 'errors', 'ok', 'requests', 'requestsPerSecond', 'responses'],
  ...['rttAvgMs', 'rttMaxMs', 'rttMinMs', 'rttP50Ms', 'rttP90Ms', 'rttP99Ms', 'timeouts'],
];

export const ping: readonly Scenario[] = [
  {
    name: 'once: a real probe of the embedder',
    async run(stage) {
      const targetId = await stage.embedder();
      const result = await stage.ok('pingOnce', { targetId, targetTypeHint: 'EMBEDDER' });
      expect(result).toMatchObject({
        endpoint: {
          targetType: 'EMBEDDER',
          targetId,
          resolvedEndpoint: 'builtin:lexical-v1',
          provider: 'BUILTIN',
          modelIdentifier: 'lexical-v1',
        },
        seq: 1,
        ok: true,
        bytesSent: expect.any(Number),
        bytesReceived: expect.any(Number),
        rttMs: expect.any(Number),
        metadata: {},
      });
      const { clientSendTimeUnixNanos: sent, clientReceiveTimeUnixNanos: received } = result.timing;
      expect(received).toBeGreaterThanOrEqual(sent);
      expect(sent).toBeGreaterThan(1e18);
      expect(result.timing).toMatchObject({ serverReceivedTimeUnixNanos: 0, serverSendTimeUnixNanos: 0 });
    },
  },
  {
    name: 'once: clamps are reported in the metadata, invalid fields refused',
    async run(stage) {
      const targetId = await stage.embedder();
      const clamped = await stage.ok('pingOnce', { targetId, timeoutMs: 100_000, payloadSizeBytes: 2_000_000 });
      expect(clamped.ok).toBe(true);
      expect(clamped.metadata).toEqual({ 'clamped.timeoutMs': '60000', 'clamped.payloadSizeBytes': '1048576' });
      const bad: [object, string][] = [
        [{ timeoutMs: -1 }, 'timeoutMs'],
        [{ payloadSizeBytes: -1 }, 'payloadSizeBytes'],
        [{ payload: 'x', payloadSizeBytes: 10 }, 'payload'],
        [{ payloadType: 'BINARY' }, 'payloadType'],
        [{ targetId: 'x' }, 'targetId'],
        [{ targetId: undefined }, 'targetId'],
        [{ targetTypeHint: 'DATABASE' }, 'targetTypeHint'],
      ];
      for (const [more, details] of bad) {
        await stage.refused('pingOnce', { targetId, ...more }, 'INVALID_ARGUMENT', { details });
        if ('timeoutMs' in more) continue;
        await stage.refused('ping', { targetId, ...more }, 'INVALID_ARGUMENT', { details });
      }
    },
  },
  {
    name: 'stream: results in order, then the summary',
    async run(stage) {
      const targetId = await stage.embedder();
      const labels = { why: 'test' };
      const events = await stage.events('ping', { targetId, count: 3, intervalMs: 10, labels });
      expect(events.map((event) => Object.keys(event).join())).toEqual(['result', 'result', 'result', 'summary']);
      expect(results(events).map((result) => result.seq)).toEqual([1, 2, 3]);
      for (const result of results(events)) {
        expect(result).toMatchObject({ ok: true, bytesSent: 64, rttMs: expect.any(Number), metadata: labels });
        expect(Object.keys(result.timing)).toHaveLength(4);
      }
      const { summary } = events.at(-1);
      expect(Object.keys(summary).sort()).toEqual(SUMMARY);
      expect(summary).toMatchObject({ requests: 3, responses: 3, ok: 3, timeouts: 0, errors: 0 });
      expect(summary.endpoint).toEqual(results(events)[0].endpoint);
      expect(summary.rttMinMs).toBeLessThanOrEqual(summary.rttMaxMs);
      expect(summary.requestsPerSecond).toBeGreaterThan(0);
    },
  },
  {
    name: 'stream: excessive values are clamped, with a notice first',
    async run(stage) {
      const targetId = await stage.embedder();
      const request = { targetId, count: 1000, intervalMs: 1, timeoutMs: 90_000, maxInFlight: 50 };
      const events = await stage.events('ping', { ...request, payloadSizeBytes: 2_000_000 });
      const clamped = {
        COUNT_CLAMPED: { field: 'count', requested: '1000', applied: '100' },
        INTERVAL_CLAMPED: { field: 'intervalMs', requested: '1', applied: '10' },
        TIMEOUT_CLAMPED: { field: 'timeoutMs', requested: '90000', applied: '60000' },
        PAYLOAD_CLAMPED: { field: 'payloadSizeBytes', requested: '2000000', applied: '1048576' },
        IN_FLIGHT_CLAMPED: { field: 'maxInFlight', requested: '50', applied: '16' },
      };
      const said = notices(events).map(({ code, details, message }) => [code, details, typeof message]);
      const expected = Object.entries(clamped).map(([code, { requested, applied }]) => [
        code,
        { requested, applied },
        'string',
      ]);
      expect(said.sort()).toEqual(expected.sort());
      expect(notices(events).find(({ code }) => code === 'COUNT_CLAMPED').message).toBe('Probe count was reduced');
      expect(events.slice(0, 5).every((event) => 'notice' in event)).toBe(true);
      expect(results(events)).toHaveLength(100);
      const appliedLimits = Object.fromEntries(Object.values(clamped).map(({ field, applied }) => [field, applied]));
      expect(events.at(-1).summary).toMatchObject({ requests: 100, appliedLimits });
    },
  },
  {
    name: 'an unreachable target is a failed probe, not a failed call',
    async run(stage) {
      const { embedderId: targetId } = await stage.ok('createEmbedder', {
        displayName: 'away',
        providerType: 'OPENAI',
        endpointUrl: `http://127.0.0.1:1/${randomUUID()}`,
        modelIdentifier: 'm',
        dimensionality: 3,
      });
      const once = await stage.ok('pingOnce', { targetId });
      expect(once).toMatchObject({ ok: false, errorMessage: expect.stringMatching(/\S/) });
      expect(once).not.toHaveProperty('httpStatus');
      const events = await stage.events('ping', { targetId, count: 2, intervalMs: 10 });
      expect(events.at(-1).summary).toMatchObject({ requests: 2, ok: 0, errors: 2 });
    },
  },
  {
    name: 'a target must exist, match the type hint, and be readable by the caller',
    async run(stage) {
      const ghost = randomUUID();
      const ada = await stage.person();
      const bob = await stage.person();
      const bobs = await stage.ok(
        'createEmbedder',
        { displayName: 'b', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 16 },
        bob.key,
      );
      for (const operation of ['pingOnce', 'ping'] as const) {
        await stage.refused(operation, { targetId: ghost }, 'NOT_FOUND');
        const wrong = { targetId: await stage.embedder(), targetTypeHint: 'LLM' };
        await stage.refused(operation, wrong, 'NOT_FOUND');
        await stage.refused(operation, { targetId: bobs.embedderId }, 'PERMISSION_DENIED', { as: ada.key });
        await stage.refused(operation, { targetId: ghost }, 'UNAUTHENTICATED', { as: null });
      }
      await stage.ok('pingOnce', { targetId: await stage.embedder() }, ada.key);
    },
  },
  {
    name: 'LLMs and rerankers are probed by one small real call each',
    async run(stage) {
      const chat = await ChatStandIn.start();
      const rerank = await RerankStandIn.start('COHERE');
      try {
        const common = { displayName: 'p', modelIdentifier: 'm' };
        const { llm } = await stage.ok('createLLM', {
          ...common,
          providerType: 'VLLM',
          endpointUrl: chat.endpointUrl,
        });
        const { rerankerId } = await stage.ok('createReranker', {
          ...common,
          providerType: 'COHERE',
          endpointUrl: rerank.endpointUrl,
        });
        const probes = [
          [llm.llmId, 'LLM', `${chat.endpointUrl}/chat/completions`, chat],
          [rerankerId, 'RERANKER', `${rerank.endpointUrl}/v2/rerank`, rerank],
        ] as const;
        for (const [targetId, targetType, resolvedEndpoint, standIn] of probes) {
          for (const hint of [{}, { targetTypeHint: targetType }]) {
            const result = await stage.ok('pingOnce', { targetId, payload: 'hello', ...hint });
            expect(result).toMatchObject({ ok: true, httpStatus: 200, endpoint: { targetType, resolvedEndpoint } });
            expect(result.bytesSent).toBe(Buffer.byteLength(JSON.stringify(standIn.requests.at(-1)?.body)));
          }
          standIn.next({ kind: 'status', status: 500 });
          const events = await stage.events('ping', { targetId, count: 2, intervalMs: 10 });
          expect(results(events).map(({ ok, httpStatus }) => [ok, httpStatus])).toEqual([
            [false, 500],
            [true, 200],
          ]);
          expect(events.at(-1).summary).toMatchObject({ requests: 2, ok: 1, errors: 1 });
        }
        expect(chat.requests[0]?.body).toMatchObject({ max_tokens: 1, messages: [{ role: 'user', content: 'hello' }] });
        expect(rerank.requests[0]?.body.documents).toHaveLength(1);
      } finally {
        await chat.close();
        await rerank.close();
      }
    },
  },
];
