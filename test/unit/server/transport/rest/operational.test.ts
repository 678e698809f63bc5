import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics, type Metrics, metricsEndpoint } from '../../../../../src/server/metrics/metrics.ts';
import { RateLimiter } from '../../../../../src/server/service/rate-limit/rate-limiter.ts';
import type { LoadInput } from '../../../../../src/server/settings/load.ts';
import type { CallsOptions } from '../../../../../src/server/transport/calls.ts';
import { exposition } from '../../../../support/exposition.ts';
import { load } from '../../settings/settings.fixture.ts';
import { startWires, type Wires } from '../transport.fixture.ts';

const BUILT_IN = 'svc-metrics-default';

let wires: Wires | undefined;
afterEach(async () => await wires?.close());

/** A server as these settings make it; it is still starting. */
async function start(input: LoadInput = {}, options: CallsOptions = {}): Promise<{ metrics: Metrics; wires: Wires }> {
  const lifecycle = { state: 'STARTING' as Wires['lifecycle']['state'] };
  const metrics = createMetrics({ lifecycle, version: '1.2.3', commit: 'abc' });
  const endpoint = metricsEndpoint(metrics, load(input).settings);
  wires = await startWires({ observer: metrics.calls, ...options }, { metrics: endpoint });
  wires.lifecycle.onChange((state) => {
    lifecycle.state = state;
  });
  return { metrics, wires };
}

const scrape = (key?: string) =>
  fetch(`${wires?.rest}/metrics`, key === undefined ? {} : { headers: { 'x-service-metrics-key': key } });

describe('the secret of /metrics', () => {
  it.each<[string, LoadInput, string]>([
    ['the flag', { flags: { metricsScrapeSecret: 'by-flag' } }, 'by-flag'],
    ['the variable', { env: { SERVICE_METRICS_SECRET: 'by-variable' } }, 'by-variable'],
    ['the system property', { properties: ['service.metrics.secret=by-property'] }, 'by-property'],
    ['nobody, so that the built-in one counts', {}, BUILT_IN],
  ])('is set by %s', async (_, input, secret) => {
    await start(input);
    expect((await scrape(secret)).status).toBe(200);
    for (const wrong of ['', `${secret}x`, secret.slice(1), secret === BUILT_IN ? 'by-flag' : BUILT_IN]) {
      expect((await scrape(wrong)).status).toBe(401);
    }
    expect((await scrape()).status).toBe(401);
  });

  it('is refused as an error with code and message, and counted', async () => {
    await start();
    const refused = await scrape('wrong');
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await refused.json()).toEqual({
      error: {
        code: 'UNAUTHENTICATED',
        message: 'The metrics secret is missing or wrong',
        details: 'send it in the header X-Service-Metrics-Key',
      },
    });
    const { value } = exposition(await (await scrape(BUILT_IN)).text());
    expect(value('svc_auth_failures_total', { reason: 'metrics_key' })).toBe(1);
    expect(value('svc_auth_failures_total', { reason: 'invalid' })).toBe(0);
  });

  it.each<[string, LoadInput]>([
    ['the flag', { flags: { metricsAuthDisabled: true } }],
    ['the variable', { env: { SERVICE_METRICS_AUTH_DISABLED: 'true' } }],
  ])('is not required when %s says so', async (_, input) => {
    await start(input);
    for (const key of [undefined, '', 'anything']) expect((await scrape(key)).status).toBe(200);
  });
});

describe('/metrics', () => {
  it('is Prometheus text in every state of the server', async () => {
    const { wires } = await start();
    const states = async () => {
      const answer = await scrape(BUILT_IN);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      const current = exposition(await answer.text()).series.filter(({ name }) => name === 'svc_lifecycle_state');
      expect(current).toHaveLength(4);
      return current.filter(({ value }) => value === 1).map(({ labels }) => labels.state);
    };
    expect(await states()).toEqual(['STARTING']);
    wires.open();
    expect(await states()).toEqual(['READY']);
    const end = wires.lifecycle.begin();
    wires.lifecycle.drain();
    expect(await states()).toEqual(['DRAINING']);
    end();
    expect(await states()).toEqual(['QUIESCED']);
  });

  it('counts against no rate limit, and reports refused requests', async () => {
    const { wires } = await start(
      {},
      { limiter: new RateLimiter({ max: 2, windowSeconds: 60 }, () => 1_800_000_000_000) },
    );
    wires.open();
    for (let n = 0; n < 5; n += 1) expect((await scrape(BUILT_IN)).status).toBe(200);
    for (let n = 0; n < 5; n += 1) await fetch(`${wires.rest}/v1/spaces`, { headers: { 'x-api-key': 'key-ada' } });
    const { value } = exposition(await (await scrape(BUILT_IN)).text());
    expect(value('svc_rate_limited_total', { transport: 'rest' })).toBe(3);
    expect(value('svc_rate_limited_total', { transport: 'grpc' })).toBe(0);
    expect(value('svc_http_requests_total', { operation: 'ListSpaces', code: 'RESOURCE_EXHAUSTED' })).toBe(3);
  });

  it('reports the build, the process and the calls of both wires', async () => {
    const { wires, metrics } = await start();
    wires.open();
    await fetch(`${wires.rest}/v1/spaces`);
    await fetch(`${wires.rest}/v1/spaces`, { headers: { 'x-api-key': 'nonsense' } });
    await fetch(`${wires.rest}/v1/spaces`, { headers: { 'x-api-key': 'key-ada' } });
    await fetch(`${wires.rest}/v1/nowhere`, { headers: { 'x-api-key': 'key-ada' } });
    const { value } = exposition(await (await scrape(BUILT_IN)).text());
    expect(value('svc_build_info', { version: '1.2.3', commit: 'abc' })).toBe(1);
    for (const code of ['UNAUTHENTICATED', 'OK'] as const) {
      const labels = { operation: 'ListSpaces', code };
      expect(value('svc_http_requests_total', labels)).toBe(code === 'OK' ? 1 : 2);
      expect(value('svc_http_request_duration_seconds_count', labels)).toBe(code === 'OK' ? 1 : 2);
    }
    expect(value('svc_auth_failures_total', { reason: 'missing' })).toBe(1);
    expect(value('svc_auth_failures_total', { reason: 'invalid' })).toBe(1);
    expect(value('svc_requests_in_flight', { transport: 'rest' })).toBe(0);
    const nowS = Date.now() / 1000;
    const startS = value('svc_process_start_time_seconds') ?? 0;
    expect(startS).toBeLessThan(nowS);
    expect(startS).toBeGreaterThan(nowS - 3600);
    for (const name of ['svc_process_cpu_seconds_total', 'svc_process_resident_memory_bytes']) {
      expect(value(name)).toBeGreaterThan(0);
    }
    expect(value('svc_nodejs_heap_size_used_bytes')).toBeGreaterThan(1_000_000);
    expect(value('svc_nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(metrics.recent.requests().ListSpaces).toMatchObject({ count: 3, errors: 2 });
  });
});
