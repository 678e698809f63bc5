import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { PingControl, PingService } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([EmbedderService, LLMService, PingService, RerankerService]);
const A = '01980000-0000-7000-8000-0000000000c1';
const OTHER = '01980000-0000-7000-8000-0000000000b2';

const endpoint = { targetType: 1, provider: 'TEI', modelIdentifier: 'bge-small', resolvedEndpoint: 'http://tei/embed' };

describe('Ctrl-\\ while it streams', () => {
  const sendsTwo: Handlers = {
    duplex: {
      Ping: (call, send) => {
        const result = (seq: number) => ({
          event: { case: 'result', value: { endpoint, seq, ok: seq === 1, rttMs: seq, bytesSent: 4n } },
        });
        call.on('data', ({ message }: { message: { case: string; value: unknown } }) => {
          if (message.case === 'config') for (const seq of [1, 2]) send(result(seq));
          if (message.value !== PingControl.CANCEL) return;
          send({ event: { case: 'summary', value: { endpoint, requests: 2, responses: 1, ok: 1, timeouts: 1 } } });
          call.end();
        });
      },
    },
  };

  test.each([
    { name: 'lines', options: ['--plain'], last: 'seq=2' },
    { name: 'ndjson', options: ['-o', 'ndjson'], last: '"seq":2' },
  ])('as $name: the statistics so far go to stderr, and it continues', async ({ options, last }) => {
    const { svc } = await against(sendsTwo);
    const stop = new AbortController();
    let press = (): void => {};
    const { code, stdout, stderr } = await svc(['ping', A, '--stream', ...options], {
      signal: stop.signal,
      onQuitKey: (pressed) => {
        press = pressed;
      },
      onOutput: (text) => {
        if (!text.includes(last) || stop.signal.aborted) return;
        press();
        stop.abort(new Interrupted('SIGINT'));
      },
    });
    expect(code).toBe(130);
    expect(stderr).toBe(
      [
        '',
        '--- bge-small ping statistics ---',
        '2 probes so far, 1 ok, 1 failed, 50% loss',
        'rtt min/avg/p50/p90/p99/max = 1.00/1.00/1.00/1.00/1.00/1.00 ms\n',
      ].join('\n'),
    );
    expect(stdout).toMatch(/2 probes, 1 ok, 0 errors, 1 time-out, 50% loss|"summary"/);
  });
});

test('a server that disconnects after Ctrl-C: the statistics of the client are printed', async () => {
  const { svc } = await against({
    duplex: {
      Ping: (call, send) => {
        call.on('data', ({ message }: { message: { value: unknown } }) => {
          if (message.value === PingControl.CANCEL) call.emit('error', new Error('gone'));
          else send({ event: { case: 'result', value: { endpoint, seq: 1, ok: true, rttMs: 7, bytesSent: 4n } } });
        });
      },
    },
  });
  const stop = new AbortController();
  const { code, stderr } = await svc(['ping', A, '--stream', '--plain'], {
    signal: stop.signal,
    onOutput: (text) => text.includes('seq=1') && stop.abort(new Interrupted('SIGINT')),
  });
  expect(code).toBe(130);
  expect(stderr).toContain('1 probe so far, 1 ok, 0 failed, 0% loss');
});

describe('ping', () => {
  const endpoint = {
    targetId: OTHER,
    provider: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    resolvedEndpoint: 'builtin:lexical-v1',
  };
  const result = (seq: number, ok = true) => ({
    event: {
      case: 'result',
      value: {
        endpoint,
        seq,
        ok,
        rttMs: 1.5,
        bytesSent: 64n,
        bytesReceived: 128n,
        errorMessage: ok ? undefined : 'refused',
      },
    },
  });
  const summary = {
    event: {
      case: 'summary',
      value: {
        endpoint,
        requests: 2,
        responses: 2,
        ok: 1,
        errors: 1,
        rttMinMs: 1.5,
        rttAvgMs: 1.5,
        rttP50Ms: 1.5,
        rttP90Ms: 1.5,
        rttP99Ms: 1.5,
        rttMaxMs: 12.25,
      },
    },
  };

  test('one probe; without an id of the default embedder', async () => {
    const { svc, server } = await against({
      unary: {
        ListEmbedders: () => ({ embedders: [{ embedderId: A }, { embedderId: OTHER }] }),
        PingOnce: () => result(1).event.value,
      },
    });
    expect(await svc(['ping', '-t', '2s'])).toEqual({
      code: 0,
      stdout: 'seq=1 time=1.50 ms sent=64 received=128\n',
      stderr: '',
    });
    expect(server.calls[0]?.request).toMatchObject({ label: { default: 'true' } });
    expect(server.calls[1]?.request).toMatchObject({ targetId: OTHER, timeoutMs: 2000n });
  });

  test('a stream with its statistics', async () => {
    const { svc } = await against({
      duplex: {
        Ping: (call, send) => {
          call.once('data', () => {
            for (const message of [result(1), result(2, false), summary]) send(message);
            call.end();
          });
        },
      },
    });
    const { code, stdout } = await svc(['ping', OTHER, '--stream', '-c', '2', '-i', '10ms'], { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "PING lexical-v1 (BUILTIN) at builtin:lexical-v1
      seq=1 time=1.50 ms sent=64 received=128
      seq=2 time=1.50 ms sent=64 received=128 error: refused

      --- lexical-v1 ping statistics ---
      2 probes, 1 ok, 1 error, 0 time-outs, 50% loss
      rtt min/avg/p50/p90/p99/max = 1.50/1.50/1.50/1.50/1.50/12.3 ms
      "
    `);
    const piped = await svc(['ping', OTHER, '--stream']);
    expect(
      piped.stdout
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line))[0]),
    ).toEqual(['result', 'result', 'summary']);
  });

  test('no probe succeeded: 1; no statistics: 76', async () => {
    const streaming = (messages: readonly Record<string, unknown>[]) =>
      against({
        duplex: {
          Ping: (call, send) => {
            call.once('data', () => {
              for (const message of messages) send(message);
              call.end();
            });
          },
        },
      });
    expect((await (await streaming([result(1, false), summary])).svc(['ping', OTHER, '--stream'])).code).toBe(1);
    expect((await (await streaming([result(1)])).svc(['ping', OTHER, '--stream'])).code).toBe(76);
  });

  test('Ctrl-C asks for the statistics, prints them and ends with 130', async () => {
    const stop = new AbortController();
    const { svc } = await against({
      duplex: {
        Ping: (call, send) => {
          call.on('data', (message: { message: { case: string; value: unknown } }) => {
            if (message.message.case === 'config') send(result(1));
            if (message.message.value === PingControl.CANCEL) {
              send(summary);
              call.end();
            }
          });
        },
      },
    });
    const { code, stdout } = await svc(['ping', OTHER, '--stream'], {
      terminal: true,
      signal: stop.signal,
      onOutput: (text) => text.includes('seq=1') && !stop.signal.aborted && stop.abort(new Interrupted('SIGINT')),
    });
    expect(code).toBe(130);
    expect(stdout).toContain('ping statistics');
  });
});
