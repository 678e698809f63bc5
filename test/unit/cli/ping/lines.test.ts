import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { sparklineMarks } from '../../../../src/cli/ping/row.tsx';
import { lossPercent, tallyOf, timeSplit } from '../../../../src/cli/ping/tally.ts';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  PingControl,
  type PingResult,
  PingResultSchema,
  PingService,
} from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import type { Handlers } from '../grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([EmbedderService, LLMService, PingService, RerankerService]);
const A = '01980000-0000-7000-8000-0000000000c1';
const B = '01980000-0000-7000-8000-0000000000c2';
const endpoint = { targetType: 1, provider: 'TEI', modelIdentifier: 'bge-small', resolvedEndpoint: 'http://tei/embed' };

function probe(fields: Omit<MessageInitShape<typeof PingResultSchema>, '$typeName'>): PingResult {
  return create(PingResultSchema, { ok: true, rttMs: 10, ...fields });
}

describe('the tally of a running ping', () => {
  test('counts as the server does: times are those of the answered probes', () => {
    const tally = tallyOf([
      probe({ rttMs: 10, httpStatus: 200 }),
      probe({ rttMs: 30, httpStatus: 500, ok: false }),
      probe({ rttMs: 5000, ok: false }),
      probe({ rttMs: 2 }),
    ]);
    expect(tally).toEqual({
      requests: 4,
      responses: 3,
      ok: 2,
      rttMinMs: 2,
      rttAvgMs: 14,
      rttP50Ms: 10,
      rttP90Ms: 30,
      rttP99Ms: 30,
      rttMaxMs: 30,
    });
    expect(lossPercent(tally)).toBe(50);
  });

  test('is all 0 before the first probe, and has no times when nothing was answered', () => {
    expect(new Set(Object.values(tallyOf([])))).toEqual(new Set([0]));
    expect(lossPercent(tallyOf([]))).toBe(0);
    expect(tallyOf([probe({ ok: false })])).toMatchObject({ requests: 1, responses: 0, rttMaxMs: 0 });
  });
});

describe('where the time of a probe went', () => {
  const timing = (received: bigint, sent: bigint) => ({
    rttMs: 10,
    timing: probe({
      timing: {
        clientSendTimeUnixNanos: 1n,
        serverReceivedTimeUnixNanos: received,
        serverSendTimeUnixNanos: sent,
        clientReceiveTimeUnixNanos: 2n,
      },
    }).timing,
  });

  test.each([
    { name: 'the target tells', received: 1_000_000n, sent: 5_000_000n, split: { network: 6, server: 4 } },
    { name: 'the target tells nothing', received: 0n, sent: 0n, split: undefined },
    { name: 'the target tells one half', received: 0n, sent: 5_000_000n, split: undefined },
    { name: 'the answer was before the question', received: 5_000_000n, sent: 1_000_000n, split: undefined },
    { name: 'it took longer there than in all', received: 1n, sent: 11_000_001n, split: undefined },
  ])('$name', ({ received, sent, split }) => {
    expect(timeSplit(timing(received, sent))).toEqual(split);
  });

  test('without timing nothing is known', () => {
    expect(timeSplit({ rttMs: 10, timing: undefined })).toBeUndefined();
  });
});

describe('the sparkline', () => {
  const marks = (rtts: readonly (number | 'x')[], width: number): string =>
    sparklineMarks(
      rtts.map((rtt) => (rtt === 'x' ? { ok: false, rttMs: 9999 } : { ok: true, rttMs: rtt })),
      width,
    ).join('');

  test.each([
    { name: 'bars are as high as the times are long', rtts: [1, 2, 3, 4, 5, 6, 7, 8], width: 80, shown: '▁▂▃▄▅▆▇█' },
    { name: 'a failed probe has a mark of its own', rtts: [4, 'x', 8], width: 80, shown: '▄×█' },
    { name: 'what failed sets no scale', rtts: ['x', 'x', 1], width: 80, shown: '××█' },
    { name: 'the last ones are kept', rtts: [100, 1, 2, 4], width: 3, shown: '▂▄█' },
    { name: 'no time at all is the lowest bar', rtts: [0, 0], width: 80, shown: '▁▁' },
    { name: 'no width, no marks', rtts: [1], width: 0, shown: '' },
  ] as const)('$name', ({ rtts, width, shown }) => {
    expect(marks(rtts, width)).toBe(shown);
  });
});

describe('the target of a ping', () => {
  const registered: Handlers = {
    unary: {
      ListEmbedders: () => ({ embedders: [{ embedderId: A, displayName: 'Small' }] }),
      ListLLMs: () => ({ llms: [{ llmId: B, displayName: 'small' }] }),
      ListRerankers: () => ({
        rerankers: [
          { rerankerId: B, displayName: 'Twin' },
          { rerankerId: A, displayName: 'Twin' },
        ],
      }),
      PingOnce: () => ({ ok: true }),
    },
  };

  test.each([
    { name: 'small', targetId: B },
    { name: 'Small', targetId: A },
    { name: 'twin', targetId: undefined },
    { name: A.toUpperCase(), targetId: A },
  ])('$name', async ({ name, targetId }) => {
    const { server, svc } = await against(registered);
    const { code, stderr } = await svc(['ping', name]);
    if (targetId === undefined) {
      expect(code).toBe(64);
      expect(stderr).toBe(
        `svc: Several targets are named twin\n  ${B} reranker Twin, ${A} reranker Twin\n  Give the whole id of one of them\n`,
      );
    } else {
      expect(code).toBe(0);
      expect(server.calls.at(-1)).toMatchObject({ name: 'PingOnce', request: { targetId } });
    }
  });

  test('an unknown name says what there is', async () => {
    const { svc } = await against(registered);
    expect(await svc(['ping', 'nosuch'])).toEqual({
      code: 66,
      stdout: '',
      stderr: [
        'svc: No embedder, LLM or reranker has the id or name nosuch',
        '  There are: Small (embedder), small (LLM), Twin (reranker), Twin (reranker)',
        '  List what can be pinged: svc embedders list, svc llms list, svc rerankers list\n',
      ].join('\n'),
    });
  });

  test('without a default embedder it says so', async () => {
    const { svc } = await against({ unary: { ListEmbedders: () => ({}) } });
    expect(await svc(['ping'])).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('There is no default embedder'),
    });
  });
});

describe('one probe on a terminal', () => {
  const fields = { endpoint, seq: 1, bytesSent: 64n, bytesReceived: 4096n, rttMs: 12.345 };
  const answering = (more: Record<string, unknown>) => against({ unary: { PingOnce: () => ({ ...fields, ...more }) } });
  const shown = { terminal: true, columns: 80 };

  test('says what was probed, how long it took, and where the time went', async () => {
    const timing = { serverReceivedTimeUnixNanos: 1_000_000n, serverSendTimeUnixNanos: 11_000_000n };
    const { svc } = await answering({ ok: true, httpStatus: 200, timing });
    const { code, stdout } = await svc(['ping', A, '--no-color'], shown);
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "PING bge-small (TEI embedder) at http://tei/embed
      ok: answered in 12.3 ms with status 200 (network 2.35 + server 10.0 ms); 64 B
      sent, 4.1 kB received
      "
    `);
    expect((await svc(['ping', A], shown)).stdout).toContain('\u001b[32mok\u001b[39m: answered');
  });

  test('a failure is told in words and ends with 1', async () => {
    const refused = await answering({ ok: false, httpStatus: 401, errorMessage: 'the key was\u001b[2J refused' });
    const { code, stdout } = await refused.svc(['ping', A, '--no-color'], shown);
    expect(code).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "PING bge-small (TEI embedder) at http://tei/embed
      failed: the key was [2J refused
      answered in 12.3 ms with status 401; 64 B sent, 4.1 kB received
      "
    `);
    const silent = await answering({ ok: false, errorMessage: 'the connection was refused' });
    expect((await silent.svc(['ping', A, '--no-color'], { ...shown, columns: 60 })).stdout).toMatchInlineSnapshot(`
      "PING bge-small (TEI embedder) at http://tei/embed
      failed: the connection was refused
      no answer for 12.3 ms; 64 B sent
      "
    `);
  });

  test('what the server reduced is a note', async () => {
    const { svc } = await answering({ ok: true, metadata: { 'clamped.timeoutMs': '60000', mine: 'x' } });
    expect((await svc(['ping', A, '-t', '5m'], shown)).stderr).toBe(
      'note: --timeout was set to 60000 ms, the limit of the server\n',
    );
  });
});

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
  ])('as $name: the statistics so far go to stderr, and it goes on', async ({ options, last }) => {
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

test('a server that goes away after Ctrl-C: the statistics are what was seen here', async () => {
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
