import { describe, expect, test } from 'vitest';
import { durationText } from '../../../../src/cli/kit/text/figures.ts';
import { Health } from '../../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import { SystemService } from '../../../../src/shared/gen/service/v1/system_pb.ts';
import { checks, status } from '../samples/system.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([SystemService, Health]);

const STATUS = {
  ...status,
  database: 'embedded',
  counts: { users: 2n, spaces: 3n, memories: 120n },
  pools: { main: status.pools.main },
  requests: { RetrieveMemory: status.requests.RetrieveMemory },
};

describe('status', () => {
  test('on a terminal: a record and a table for each kind of numbers', async () => {
    const { svc } = await against({ unary: { GetSystemStatus: () => STATUS } });
    const { code, stdout, stderr } = await svc(['system', 'status', '--no-color'], { terminal: true, columns: 80 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      FIELD     VALUE
      ─────────────────────────────────────────
      state     READY
      uptime    1 d 3 h
      database  embedded
      schema    7
      stored    users 2, spaces 3, memories 120
      jobs      pending 0, running 1, failed 2

      POOL  USED  IDLE  WAITING
      ─────────────────────────
      main     1     2        0

      REQUEST         CALLS  ERRORS  P50 MS  P99 MS
      ─────────────────────────────────────────────
      RetrieveMemory    240       1     8.1    31.5

      STAGE OF RETRIEVAL  CALLS  ERRORS  P50 MS  P99 MS
      ─────────────────────────────────────────────────
      vector_search         240       0     2.4     9.7
      "
    `);
  });

  test('plain lines in a pipe, and the message in the JSON forms', async () => {
    const { svc } = await against({ unary: { GetSystemStatus: () => ({ ...STATUS, requests: {}, stages: {} }) } });
    const plain = await svc(['system', 'status', '--plain'], { terminal: true, columns: 80 });
    expect(`\n${plain.stdout}`).toMatchInlineSnapshot(`
      "
      state     READY
      uptime    1 d 3 h
      database  embedded
      schema    7
      stored    users 2, spaces 3, memories 120
      jobs      pending 0, running 1, failed 2

      pool     main
      used     1
      idle     2
      waiting  0
      "
    `);
    const pipe = await svc(['system', 'status']);
    expect(pipe.stdout.split('\n')[1]).toMatch(
      /^READY +1 d 3 h +embedded +7 +users 2, spaces 3, memories 120 +pending 0/,
    );
    const json = JSON.parse((await svc(['system', 'status', '-o', 'json'])).stdout);
    expect(json).toMatchObject({ uptimeMs: 97_200_000, pools: { main: { idle: 2 } }, requests: {} });
  });

  test('durations keep two units', () => {
    expect([0, 999, 59_000, 3_600_000, 3_725_000, 90_000_000].map(durationText)).toEqual([
      '0 s',
      '0 s',
      '59 s',
      '1 h',
      '1 h 2 min',
      '1 d 1 h',
    ]);
  });
});

const CHECKS = checks.map((check) => (check.name === 'indexes' ? { ...check, message: 'An index is invalid' } : check));

describe('doctor', () => {
  test('on a terminal: every finding in full, with its remedy below', async () => {
    const { svc } = await against({ unary: { Diagnose: () => ({ checks: CHECKS }) } });
    const result = await svc(['system', 'doctor', '--no-color'], { terminal: true, columns: 60 });
    expect(result).toMatchObject({ code: 1, stderr: '3 checks: 1 FAIL, 1 WARN, 1 OK\n' });
    expect(`\n${result.stdout}`).toMatchInlineSnapshot(`
      "
      STATUS  CHECK              FOUND
      ────────────────────────────────────────────────────────────
      OK      extension_version  vector 0.8.1
      WARN    tls_expiry         The certificate expires in 9 days
                                 To do: Replace the files of
                                 --tls-cert-file and
                                 --tls-key-file, then restart
      FAIL    indexes            An index is invalid
                                 To do: reindex index vectors_1
      "
    `);
    const colored = await svc(['system', 'doctor'], { terminal: true, columns: 80 });
    expect(colored.stdout).toContain('\u001b[31mFAIL\u001b[39m');
  });

  test('elsewhere: one check a line, and 1 only when one says FAIL', async () => {
    const { svc } = await against({ unary: { Diagnose: () => ({ checks: CHECKS.slice(0, 2) }) } });
    const pipe = await svc(['system', 'doctor']);
    expect(pipe).toMatchObject({ code: 0, stderr: '2 checks: 1 WARN, 1 OK\n' });
    expect(pipe.stdout.split('\n')[2]).toBe(
      'WARN    tls_expiry         The certificate expires in 9 days  Replace the files of --tls-cert-file and --tls-key-file, then restart',
    );
    const ndjson = await svc(['system', 'doctor', '-o', 'ndjson']);
    expect(ndjson.stderr).toBe('');
    expect(JSON.parse(ndjson.stdout.split('\n')[0] ?? '')).toEqual({ ...CHECKS[0], status: 'OK' });
  });
});

test.each([['health'], ['system', 'health']])(
  '%s %s: serving exits with 0, any other status with 69',
  async (...words) => {
    const path = words.filter((word) => word !== undefined);
    const { svc, server } = await against({
      unary: {
        Check: ({ request }) => ({
          status: (request as unknown as { service: string }).service === 'liveness' ? 1 : 2,
        }),
      },
    });
    expect(await svc([...path, '--probe', 'live'])).toMatchObject({ code: 0, stdout: 'SERVING\n' });
    expect(await svc(path)).toMatchObject({ code: 69, stdout: 'NOT_SERVING\n' });
    await svc([...path, '--probe', 'startup']);
    expect(server.calls.map(({ request }) => (request as { service: string }).service)).toEqual([
      'liveness',
      'readiness',
      'startup',
    ]);
  },
);
