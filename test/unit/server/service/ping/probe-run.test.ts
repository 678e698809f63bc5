import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, test } from 'vitest';
import { createEmbedderClient } from '../../../../../src/server/providers/embedders/client.ts';
import type { EmbedderRecord } from '../../../../../src/server/providers/embedders/types.ts';
import { createProviderHttp } from '../../../../../src/server/providers/http.ts';
import type { ProbeOptions, ProbeOutcome } from '../../../../../src/server/providers/target.ts';
import { followControls, readConfig } from '../../../../../src/server/service/ping/handlers.ts';
import { type FinishedProbe, ProbeRun, type ProbeSchedule } from '../../../../../src/server/service/ping/probe-run.ts';
import { inProcessFailures } from '../../../../../src/server/service/ping/targets.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import {
  type PingClientMessage,
  PingClientMessageSchema,
  PingControl,
} from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import { LOOPBACK_POLICY } from '../../../../support/loopback-policy.ts';
import type { Behavior } from '../../../../support/stand-ins/behavior.ts';
import { OpenAiStandIn } from '../../../../support/stand-ins/openai.ts';
import { TeiStandIn } from '../../../../support/stand-ins/tei.ts';

const HOUR_MS = 3_600_000;
const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

const schedule = (extra: Partial<ProbeSchedule> = {}): ProbeSchedule => ({
  count: 4,
  intervalMs: 0,
  jitter: false,
  maxInFlight: 1,
  timeoutMs: 20_000,
  ...extra,
});

const OK: ProbeOutcome = {
  ok: true,
  bytesSent: 1,
  bytesReceived: 1,
  rttMs: 1,
  clientSendTimeUnixNanos: 1n,
  clientReceiveTimeUnixNanos: 2n,
  serverReceivedTimeUnixNanos: 0n,
  serverSendTimeUnixNanos: 0n,
  timedOut: false,
};

/** Probes that end when they are told to. */
class HeldProbes {
  readonly started: { signal: AbortSignal; finish: () => void; fail: (error: unknown) => void }[] = [];
  readonly probe = ({ signal }: ProbeOptions) =>
    new Promise<ProbeOutcome>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.started.push({ signal, finish: () => resolve(OK), fail: reject });
    });

  get aborted(): boolean[] {
    return this.started.map(({ signal }) => signal.aborted);
  }
}

/** Lets everything happen that is ready to happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function all(results: AsyncIterable<FinishedProbe>): Promise<FinishedProbe[]> {
  const probes: FinishedProbe[] = [];
  for await (const probe of results) probes.push(probe);
  return probes;
}

const activeTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

function held(extra: Partial<ProbeSchedule> = {}) {
  const probes = new HeldProbes();
  const controller = new AbortController();
  const run = new ProbeRun(schedule(extra), probes.probe, controller.signal);
  return { probes, controller, run, results: run.results() };
}

describe('a run of probes', () => {
  test('numbers them from 1 and ends after the last', async () => {
    const run = new ProbeRun(schedule({ count: 5 }), async () => OK, new AbortController().signal);
    expect((await all(run.results())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(run.ended).toBe(true);
  });

  test('keeps at most so many under way, and results come as they finish', async () => {
    const { probes, results } = held({ count: 5, maxInFlight: 3 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(3);
    probes.started[1]?.finish();
    expect((await first).value?.seq).toBe(2);
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(4);
    probes.started[3]?.finish();
    expect((await second).value?.seq).toBe(4);
    await results.return();
  });

  test('waits for a slow reader', async () => {
    let started = 0;
    const probe = async () => {
      started += 1;
      return OK;
    };
    const results = new ProbeRun(
      schedule({ count: 100, maxInFlight: 2 }),
      probe,
      new AbortController().signal,
    ).results();
    await results.next();
    await settle();
    expect(started).toBe(2);
    await results.next();
    await settle();
    expect(started).toBe(2);
    await results.next();
    await settle();
    expect(started).toBe(4);
    await results.return();
  });

  test('starts the next no sooner than the interval, however long that is', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { probes, run, results } = held({ intervalMs: 2 ** 40, maxInFlight: 4 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    probes.started[0]?.finish();
    await first;
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    run.cancel();
    expect((await second).done).toBe(true);
  });

  test('has sixteen under way without a warning of leaked listeners', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { probes, run, results } = held({ count: 16, maxInFlight: 16 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(16);
    run.cancel();
    expect((await first).done).toBe(true);
    await settle();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('ends with the error of a probe that breaks its promise', async () => {
    const { probes, results } = held({ count: 2, maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    expect(probes.aborted).toEqual([true, true]);
  });
});

describe('controls', () => {
  test('PAUSE stops starts, not results; RESUME goes on', async () => {
    const { probes, run, results } = held({ count: 2 });
    const first = results.next();
    await settle();
    run.pause();
    probes.started[0]?.finish();
    expect((await first).value?.seq).toBe(1);
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    run.resume();
    await settle();
    expect(probes.started).toHaveLength(2);
    probes.started[1]?.finish();
    expect((await second).value?.seq).toBe(2);
    expect((await results.next()).done).toBe(true);
  });

  test('CANCEL gives up what is under way, and keeps what is finished', async () => {
    const { probes, run, results } = held({ count: 9, maxInFlight: 3 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    probes.started[1]?.finish();
    expect((await first).value?.seq).toBe(1);
    run.cancel();
    expect(probes.aborted).toEqual([false, false, true]);
    expect((await results.next()).value?.seq).toBe(2);
    expect((await results.next()).done).toBe(true);
    expect(probes.started).toHaveLength(3);
  });

  test('CANCEL ends a pause and an interval', async () => {
    for (const paused of [true, false]) {
      const timers = activeTimers();
      const { probes, run, results } = held({ intervalMs: HOUR_MS, maxInFlight: 2 });
      const first = results.next();
      await settle();
      probes.started[0]?.finish();
      await first;
      if (paused) run.pause();
      const second = results.next();
      await settle();
      run.cancel();
      expect((await second).done).toBe(true);
      expect(activeTimers()).toBe(timers);
    }
  });
});

describe('a client that leaves', () => {
  test('stops probes and timers at once', async () => {
    const timers = activeTimers();
    const { probes, controller, results } = held({ intervalMs: HOUR_MS, maxInFlight: 2 });
    const first = results.next();
    await settle();
    expect(activeTimers()).toBe(timers + 1);
    controller.abort(new DOMException('gone', 'AbortError'));
    expect(probes.aborted).toEqual([true]);
    await expect(first).rejects.toThrow('gone');
    expect(activeTimers()).toBe(timers);
    await settle();
    expect(probes.started).toHaveLength(1);
  });

  test('stops probes also while its last result is being written', async () => {
    const { probes, controller, results } = held({ maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    await first;
    controller.abort(new DOMException('gone', 'AbortError'));
    expect(probes.aborted).toEqual([false, true]);
    await expect(results.next()).rejects.toThrow('gone');
  });

  test('before the start starts nothing', async () => {
    const { probes, controller, results } = held();
    controller.abort(new DOMException('gone', 'AbortError'));
    await expect(results.next()).rejects.toThrow('gone');
    expect(probes.started).toHaveLength(0);
  });

  test('is also one that stops reading', async () => {
    const { probes, results } = held({ maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    await first;
    await results.return();
    expect(probes.aborted).toEqual([false, true]);
  });
});

describe('messages of the client', () => {
  const config = () => create(PingClientMessageSchema, { message: { case: 'config', value: { targetId: 'x' } } });
  const control = (value: PingControl) => create(PingClientMessageSchema, { message: { case: 'control', value } });
  const none = () => create(PingClientMessageSchema);
  const signal = () => new AbortController().signal;

  async function* sent(...messages: (PingClientMessage | Error)[]): AsyncGenerator<PingClientMessage> {
    for (const message of messages) {
      if (message instanceof Error) throw message;
      yield message;
    }
  }

  test('begin with a config', async () => {
    await expect(readConfig(sent(config()), signal())).resolves.toMatchObject({ targetId: 'x' });
  });

  test.each([
    { what: 'nothing', messages: [] },
    { what: 'a control', messages: [control(PingControl.CANCEL)] },
    { what: 'an empty message', messages: [none()] },
  ])('may not begin with $what', async ({ messages }) => {
    await expect(readConfig(sent(...messages), signal())).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('are not waited for when the client has left', async () => {
    const controller = new AbortController();
    const silent = { next: () => new Promise<IteratorResult<PingClientMessage>>(() => {}) };
    const reading = readConfig(silent, controller.signal);
    controller.abort(new DOMException('gone', 'AbortError'));
    await expect(reading).rejects.toThrow('gone');
    await expect(readConfig(silent, controller.signal)).rejects.toThrow('gone');
  });

  test.each([
    { what: 'a second config', message: config(), code: 'INVALID_ARGUMENT' },
    { what: 'an unspecified control', message: control(PingControl.UNSPECIFIED), code: 'INVALID_ARGUMENT' },
    { what: 'an empty message', message: none(), code: 'INVALID_ARGUMENT' },
    {
      what: 'an unreadable message',
      message: new ServiceError('INVALID_REQUEST', 'not a message'),
      code: 'INVALID_REQUEST',
    },
  ])('end the run with $code after $what', async ({ message, code }) => {
    const { probes, run, results } = held();
    const first = results.next();
    await settle();
    await followControls(sent(message), run);
    await expect(first).rejects.toMatchObject({ code });
    expect(probes.aborted).toEqual([true]);
  });

  test('may end while the run goes on', async () => {
    const run = new ProbeRun(schedule({ count: 2 }), async () => OK, signal());
    await followControls(sent(control(PingControl.PAUSE), control(PingControl.RESUME)), run);
    expect(await all(run.results())).toHaveLength(2);
  });

  test('are left unread after CANCEL', async () => {
    const { run, results } = held();
    const messages = sent(control(PingControl.CANCEL), config());
    await followControls(messages, run);
    expect(await all(results)).toEqual([]);
    // The generator is still open: returning it would close the answering side of a real stream.
    expect((await messages.next()).done).toBe(false);
  });
});

describe('against a provider', () => {
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
    const http = createProviderHttp({ policy: LOOPBACK_POLICY });
    cleanup.push(
      () => standIn.close(),
      () => http.close(),
    );
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
  ] as { what: string; behavior: Behavior; expected: Partial<ProbeOutcome> }[])('hears $what', async (row) => {
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

  test('keeps to its slots on the wire', async () => {
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

describe('failures inside our own process', () => {
  const options = (signal = new AbortController().signal): ProbeOptions => ({ signal, timeoutMs: 1000 });

  test.each([
    { code: 'INTERNAL', timedOut: false },
    { code: 'DEADLINE_EXCEEDED', timedOut: true },
  ] as const)('$code is a failed probe', async ({ code, timedOut }) => {
    const outcome = await inProcessFailures('déjà', options(), () => Promise.reject(new ServiceError(code, 'No.')));
    expect(outcome).toMatchObject({ ok: false, timedOut, bytesSent: 6, bytesReceived: 0, errorMessage: 'No.' });
    expect(outcome).not.toHaveProperty('httpStatus');
  });

  test('are faults when they are anything else', async () => {
    await expect(inProcessFailures('', options(), () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError);
  });

  test('count for nothing when the caller has given up', async () => {
    const signal = AbortSignal.abort(new DOMException('gone', 'AbortError'));
    const run = () => Promise.reject(new ServiceError('INTERNAL', 'No.'));
    await expect(inProcessFailures('', options(signal), run)).rejects.toThrow('gone');
  });
});
