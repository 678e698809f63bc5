import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmbedderClient } from '../../../../../../src/server/providers/embedders/client.ts';
import type { EmbedderRecord } from '../../../../../../src/server/providers/embedders/types.ts';
import { createProviderHttp } from '../../../../../../src/server/providers/http.ts';
import type { ProbeOptions, ProbeOutcome } from '../../../../../../src/server/providers/target.ts';
import { ProbeRun } from '../../../../../../src/server/service/ping/probe-run.ts';
import { LOOPBACK_POLICY } from '../../../../../support/loopback-policy.ts';
import type { Behavior } from '../../../../../support/stand-ins/behavior.ts';
import { OpenAiStandIn } from '../../../../../support/stand-ins/openai.ts';
import { TeiStandIn } from '../../../../../support/stand-ins/tei.ts';
import { all, schedule } from '../probe-run.fixture.ts';

describe('with a provider', () => {
  const RECORD: EmbedderRecord = {
    id: '01980000-0000-7000-8000-0000000000c1',
    providerType: 'OPENAI',
    endpointUrl: '',
    apiPath: '/v1/embeddings',
    reach: 'any',
    modelIdentifier: 'text-small',
    dimensionality: 8,
    updatedAt: 1,
  };

  async function target(start: () => Promise<OpenAiStandIn | TeiStandIn>, record: Partial<EmbedderRecord> = {}) {
    const standIn = await start();
    onTestFinished(() => standIn.close());
    const http = createProviderHttp({ policy: LOOPBACK_POLICY });
    onTestFinished(() => http.close());
    const builtin = () => Promise.reject(new Error('not the built-in one'));
    const deps = { http, timeoutMs: 20_000, builtin };
    const client = createEmbedderClient({ ...RECORD, endpointUrl: standIn.url, ...record }, deps);
    const pending = new Set<Promise<unknown>>();
    const probe = (options: ProbeOptions) => {
      const outcome = client.probe('ping', options);
      const ended: Promise<unknown> = outcome.then(
        () => pending.delete(ended),
        () => pending.delete(ended),
      );
      pending.add(ended);
      return outcome;
    };
    return { standIn, probe, pending };
  }
  const openAi = () => target(() => OpenAiStandIn.start({ dimensions: 8 }));

  test.each([
    { what: 'a proper answer', behavior: { kind: 'slow', ms: 1 }, expected: { ok: true, httpStatus: 200 } },
    { what: 'a refusal', behavior: { kind: 'status', status: 500 }, expected: { ok: false, httpStatus: 500 } },
    { what: 'a bad answer', behavior: { kind: 'text', body: '{' }, expected: { ok: false, httpStatus: 200 } },
  ] as { what: string; behavior: Behavior; expected: Partial<ProbeOutcome> }[])('reports $what', async (row) => {
    const { standIn, probe } = await openAi();
    standIn.always(row.behavior);
    const run = new ProbeRun(schedule({ count: 2 }), probe, new AbortController().signal);
    const outcomes = (await all(run.results())).map(({ outcome }) => outcome);
    expect(outcomes).toMatchObject([row.expected, row.expected]);
  });

  test('goes on after drops and time-outs', async () => {
    const { standIn, probe } = await target(() => TeiStandIn.start({ dimensions: 8 }), {
      providerType: 'TEI',
      apiPath: '/embed',
    });
    standIn.next({ kind: 'drop' }, { kind: 'hang' });
    const run = new ProbeRun(schedule({ count: 3, timeoutMs: 300 }), probe, new AbortController().signal);
    const outcomes = (await all(run.results())).map(({ outcome }) => outcome);
    expect(outcomes.map(({ ok, timedOut }) => ({ ok, timedOut }))).toEqual([
      { ok: false, timedOut: false },
      { ok: false, timedOut: true },
      { ok: true, timedOut: false },
    ]);
    expect(outcomes.slice(0, 2).every((outcome) => !('httpStatus' in outcome))).toBe(true);
    expect(outcomes.every(({ ok, errorMessage }) => ok === (errorMessage === undefined))).toBe(true);
  });

  test('respects its parallelism on the wire', async () => {
    const { standIn, probe } = await openAi();
    standIn.always({ kind: 'slow', ms: 20 });
    const run = new ProbeRun(schedule({ count: 12, maxInFlight: 3 }), probe, new AbortController().signal);
    expect(await all(run.results())).toHaveLength(12);
    expect(standIn.maxInFlight).toBeLessThanOrEqual(3);
  });

  test('leaves nothing open when it is canceled', async () => {
    const { standIn, probe, pending } = await openAi();
    standIn.always({ kind: 'hang' });
    const run = new ProbeRun(schedule({ maxInFlight: 3 }), probe, new AbortController().signal);
    const results = all(run.results());
    await standIn.received(3);
    run.cancel();
    expect(await results).toEqual([]);
    await Promise.all(pending);
    expect(standIn.requests).toHaveLength(3);
  });
});
