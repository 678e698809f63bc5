import { describe, expect, test } from 'vitest';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { PingService } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import { useService } from '../service.fixture.ts';

const against = useService([EmbedderService, LLMService, PingService, RerankerService]);
const A = '01980000-0000-7000-8000-0000000000c1';

const endpoint = { targetType: 1, provider: 'TEI', modelIdentifier: 'bge-small', resolvedEndpoint: 'http://tei/embed' };

describe('one probe on a terminal', () => {
  const fields = { endpoint, seq: 1, bytesSent: 64n, bytesReceived: 4096n, rttMs: 12.345 };
  const answering = (more: Record<string, unknown>) => against({ unary: { PingOnce: () => ({ ...fields, ...more }) } });
  const shown = { terminal: true, columns: 80 };

  test('shows the target, the time and its breakdown', async () => {
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

  test('a failure is described and exits with 1', async () => {
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

  test('a clamped value is a note', async () => {
    const { svc } = await answering({ ok: true, metadata: { 'clamped.timeoutMs': '60000', mine: 'x' } });
    expect((await svc(['ping', A, '-t', '5m'], shown)).stderr).toBe(
      'note: --timeout was set to 60000 ms, the limit of the server\n',
    );
  });
});
