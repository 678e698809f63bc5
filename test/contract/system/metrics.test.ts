import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/shared/errors.ts';
import { OPERATIONS, PROXY_OPERATION } from '../../../src/shared/operations/table.ts';
import { type Exposition, exposition } from '../../support/exposition.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { raw } from '../../support/raw-rest.ts';
import { restWire } from '../../support/rest-wire.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { Stage } from '../../support/stage.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import type { Wire } from '../../support/wire.ts';

const running = useOwnServer(['--secrets-key', Buffer.alloc(32, 7).toString('base64')]);
const BUILT_IN = 'svc-metrics-default';

/** Every metric with the labels that it may have. */
const METRICS = {
  svc_build_info: ['version', 'commit'],
  svc_lifecycle_state: ['state'],
  svc_http_requests_total: ['operation', 'code'],
  svc_http_request_duration_seconds: ['operation', 'code'],
  svc_grpc_requests_total: ['operation', 'code'],
  svc_grpc_request_duration_seconds: ['operation', 'code'],
  svc_requests_in_flight: ['transport'],
  svc_streams_open: ['transport'],
  svc_rate_limited_total: ['transport'],
  svc_stream_events_total: ['operation', 'event'],
  svc_auth_failures_total: ['reason'],
  svc_jobs: ['state'],
  svc_job_oldest_pending_seconds: [],
  svc_job_duration_seconds: ['type', 'result'],
  svc_job_attempts_total: ['type', 'result'],
  svc_memories_processed_total: ['result'],
  svc_chunks_embedded_total: ['provider'],
  svc_vectors_outside_index: [],
  svc_vector_indexes_built_total: [],
  svc_provider_requests_total: ['kind', 'provider'],
  svc_provider_errors_total: ['kind', 'provider', 'reason'],
  svc_provider_request_duration_seconds: ['kind', 'provider'],
  svc_ocr_pages_total: ['result'],
  svc_ping_probes_total: ['target_type', 'result'],
  svc_retrieve_stage_duration_seconds: ['stage'],
  svc_retrieve_status_total: ['code'],
  svc_db_pool_connections: ['pool', 'state'],
  svc_db_pool_waiting: ['pool'],
  svc_db_query_duration_seconds: ['pool'],
  svc_process_cpu_seconds_total: [],
  svc_process_resident_memory_bytes: [],
  svc_process_start_time_seconds: [],
  svc_nodejs_eventloop_lag_seconds: [],
  svc_nodejs_heap_size_used_bytes: [],
} as const satisfies Record<string, readonly string[]>;

const OPERATION_NAMES = [...Object.values(OPERATIONS), PROXY_OPERATION].map(({ name }) => name);
const EVENTS = Object.values(OPERATIONS).flatMap(({ rpc }) =>
  rpc.methodKind === 'unary' ? [] : rpc.output.fields.map(({ localName }) => localName),
);

/** Every value that a label may have. What users name, a path or an id are not among them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  operation: OPERATION_NAMES,
  code: [...Object.keys(ERROR_CODES), 'OK', 'CANCELLED', 'EXPLAIN', 'CONFIGURATION_ERROR', 'EMBEDDER_FAILED'],
  transport: ['rest', 'grpc'],
  event: EVENTS,
  state: 'STARTING READY DRAINING QUIESCED PENDING RUNNING SUCCEEDED FAILED CANCELED idle used'.split(' '),
  reason: ['missing', 'invalid', 'metrics_key', 'configuration', 'rejected'],
  type: ['document_processor'],
  result: ['succeeded', 'failed', 'retried', 'released', 'lost', 'ok', 'timeout', 'error'],
  provider: ['BUILTIN', 'OPENAI'],
  kind: ['embedder'],
  target_type: ['EMBEDDER'],
  stage: ['embed', 'vector_search', 'load'],
  pool: ['main', 'background'],
};

async function scrape(): Promise<Exposition> {
  const { status, text } = await raw(running.server, '/metrics', { headers: { 'x-service-metrics-key': BUILT_IN } });
  expect(status).toBe(200);
  return exposition(text);
}

const baseOf = (name: string) => (name in METRICS ? name : name.replace(/_(bucket|sum|count)$/, ''));

async function stages(): Promise<Stage[]> {
  const rest = restWire(running.server.rest);
  const me = await rest.call('getUser', {}, { key: running.rootKey });
  if (!me.ok) throw new Error(me.message);
  const root = { key: running.rootKey, userId: me.body.userId as string };
  return [rest, grpcWire(running.server.grpc)].map((wire: Wire) => new Stage(wire, running.server, root));
}

describe('metrics', () => {
  test('every metric is there, under its name and with its labels', async () => {
    for (const stage of await stages()) {
      const { spaceId } = await stage.memory();
      await stage.events('retrieveMemory', { message: 'text', spaceKeys: [{ spaceId }], explain: true });
      await stage.ok('pingOnce', { targetId: await stage.embedder() });
      await stage.refused('listSpaces', {}, 'UNAUTHENTICATED', { as: null });
    }
    let seen = await scrape();
    // Jobs are looked at once a second.
    const [stage] = await stages();
    await stage?.until(async () => {
      seen = await scrape();
      return (seen.value('svc_jobs', { state: 'SUCCEEDED' }) ?? 0) >= 2;
    });
    expect([...seen.types.keys()].toSorted()).toEqual(Object.keys(METRICS).toSorted());
    const unseen = new Set(Object.keys(METRICS));
    for (const { name, labels } of seen.series) {
      const base = baseOf(name) as keyof typeof METRICS;
      unseen.delete(base);
      const given = Object.keys(labels).filter((label) => label !== 'le');
      expect(given.toSorted(), name).toEqual([...METRICS[base]].toSorted());
    }
    expect(unseen).toEqual(new Set(['svc_ocr_pages_total', 'svc_provider_errors_total']));
  });

  test('both wires, the workers, the stages, the pools and the probes are counted', async () => {
    const before = await scrape();
    for (const stage of await stages()) {
      const { spaceId } = await stage.memory();
      await stage.events('retrieveMemory', { message: 'text', spaceKeys: [{ spaceId }], explain: true });
      await stage.ok('pingOnce', { targetId: await stage.embedder() });
      await stage.refused('listSpaces', {}, 'UNAUTHENTICATED', { as: null });
      await stage.refused('listSpaces', {}, 'UNAUTHENTICATED', { as: 'nonsense' });
    }
    let after = await scrape();
    const grown = (name: string, labels: Record<string, string>) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    // A memory can be seen COMPLETED a moment before its worker knows.
    const [stage] = await stages();
    await stage?.until(async () => {
      after = await scrape();
      return grown('svc_memories_processed_total', { result: 'succeeded' }) >= 2;
    });
    for (const wire of ['http', 'grpc']) {
      for (const [operation, code, count] of [
        ['RetrieveMemory', 'OK', 1],
        ['CreateMemory', 'OK', 1],
        ['ListSpaces', 'UNAUTHENTICATED', 2],
      ] as const) {
        expect(grown(`svc_${wire}_requests_total`, { operation, code })).toBe(count);
        expect(grown(`svc_${wire}_request_duration_seconds_count`, { operation, code })).toBe(count);
      }
    }
    expect(grown('svc_auth_failures_total', { reason: 'missing' })).toBe(2);
    expect(grown('svc_auth_failures_total', { reason: 'invalid' })).toBe(2);
    for (const [event, count] of [
      ['resultSetBoundary', 4],
      ['memoryDefinition', 2],
      ['retrievedItem', 2],
      ['status', 2],
    ] as const) {
      expect(grown('svc_stream_events_total', { operation: 'RetrieveMemory', event })).toBe(count);
    }
    expect(grown('svc_retrieve_status_total', { code: 'EXPLAIN' })).toBe(2);
    for (const stage of ['embed', 'vector_search', 'load']) {
      expect(grown('svc_retrieve_stage_duration_seconds_count', { stage })).toBe(2);
    }
    const ended = { type: 'document_processor', result: 'succeeded' };
    expect(grown('svc_job_attempts_total', ended)).toBe(2);
    expect(grown('svc_job_duration_seconds_count', ended)).toBe(2);
    expect(grown('svc_memories_processed_total', { result: 'succeeded' })).toBe(2);
    expect(grown('svc_chunks_embedded_total', { provider: 'BUILTIN' })).toBe(2);
    // Two questions, two documents, two probes.
    expect(grown('svc_provider_requests_total', { kind: 'embedder', provider: 'BUILTIN' })).toBe(6);
    expect(grown('svc_ping_probes_total', { target_type: 'EMBEDDER', result: 'ok' })).toBe(2);
    for (const pool of ['main', 'background']) {
      expect(grown('svc_db_query_duration_seconds_count', { pool })).toBeGreaterThan(0);
    }
    const connections = after.series.filter(({ name }) => name === 'svc_db_pool_connections');
    expect(connections.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
    for (const transport of ['rest', 'grpc']) {
      expect(after.value('svc_requests_in_flight', { transport })).toBe(0);
      expect(after.value('svc_streams_open', { transport })).toBe(0);
    }
  });

  test('no input of a caller becomes a label', async () => {
    const hostile = `x${randomUUID()}"}\\n{evil="1`;
    for (const name of ['x-request-id', 'user-agent', 'x-forwarded-for', 'accept', 'x-service-metrics-key', 'origin']) {
      await raw(running.server, '/v1/spaces', { key: running.rootKey, headers: { [name]: hostile } });
    }
    await raw(running.server, '/metrics', { headers: { 'x-service-metrics-key': hostile } });
    for (const target of [`/v1/${randomUUID()}`, `/${randomUUID()}/metrics`, `PURGE /v1/spaces`, `DELETE /v1/spaces`]) {
      await raw(running.server, target, { key: hostile.replaceAll(/[^\w]/g, '') });
    }
    const provider = await OpenAiStandIn.start({ dimensions: 8 });
    provider.always({ kind: 'status', status: 401 });
    for (const stage of await stages()) {
      const id = randomUUID();
      await stage.refused('getSpace', { spaceId: id }, 'NOT_FOUND');
      await stage.refused('getMemory', { memoryId: id }, 'UNAUTHENTICATED', { as: id });
      await stage.wire.call('getSpace', { spaceId: hostile }, { key: running.rootKey });
      const embedder = await stage.ok('createEmbedder', {
        displayName: hostile,
        providerType: 'OPENAI',
        endpointUrl: `${provider.url}/v1`,
        apiPath: `/${id}`,
        modelIdentifier: hostile,
        dimensionality: 8,
        credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: id } },
      });
      const { spaceId } = await stage.ok('createSpace', {
        name: `${hostile}${stage.wire.name}`,
        embedderId: embedder.embedderId,
      });
      await stage.events('retrieveMemory', { message: hostile, spaceKeys: [{ spaceId }] });
      await stage.ok('pingOnce', { targetId: embedder.embedderId });
    }
    await provider.close();

    const { series, value } = await scrape();
    for (const { name, labels } of series) {
      for (const [label, found] of Object.entries(labels)) {
        if (label === 'le') expect(Number(found.replace('+Inf', 'Infinity'))).not.toBeNaN();
        else if (label === 'version' || label === 'commit') expect(name).toBe('svc_build_info');
        else expect([...(VALUES[label] ?? [])], `${name}: ${label}`).toContain(found);
      }
    }
    const failed = { kind: 'embedder', provider: 'OPENAI', reason: 'configuration' };
    expect(value('svc_provider_errors_total', failed)).toBeGreaterThanOrEqual(2);
    expect(value('svc_retrieve_status_total', { code: 'EMBEDDER_FAILED' })).toBe(2);
  });
});

describe('the endpoint', () => {
  test('has a built-in secret, with a warning', () => {
    const warnings = running.server.logs.filter((entry) => JSON.stringify(entry).includes('--metrics-scrape-secret'));
    expect(warnings).toHaveLength(1);
  });

  test('asks for the secret, and for no API key', async () => {
    for (const headers of [{}, { 'x-service-metrics-key': 'wrong' }, { 'x-service-metrics-key': running.rootKey }]) {
      const { status, error } = await raw(running.server, '/metrics', { key: running.rootKey, headers });
      expect([status, error.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  test('answers while the server drains', async () => {
    const [stage] = await stages();
    await stage?.ok('drain', {});
    const { series } = await scrape();
    const current = series.find(({ name, value }) => name === 'svc_lifecycle_state' && value === 1);
    expect(['DRAINING', 'QUIESCED']).toContain(current?.labels.state);
  });
});
