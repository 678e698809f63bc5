import { describe, expect, test } from 'vitest';
import { AdminService } from '../../../../src/shared/gen/service/v1/admin_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import type { CliOptions } from '../../../support/client/host.fixture.ts';
import { useService } from '../service.fixture.ts';

const NOW = Date.UTC(2026, 2, 5, 9, 30);

const start = useService([AdminService]);

async function against(unary: NonNullable<Handlers['unary']>) {
  const { server, svc } = await start({ unary });
  return {
    requests: () => server.calls.map(({ request }) => request),
    svc: (args: readonly string[], options?: CliOptions) => svc(['admin', ...args], options),
  };
}

describe('drain', () => {
  const draining = { state: 3, quiesced: false, message: '2 requests are running' };

  test('sends seconds, and asks nothing outside a terminal', async () => {
    const { svc, requests } = await against({ Drain: () => draining });
    const result = await svc(['drain', '--timeout', '1500ms', '--reason', 'upgrade', '-o', 'ndjson']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({ ...draining, state: 'DRAINING' });
    await svc(['drain', '--wait']);
    expect(requests()).toMatchObject([
      { timeoutSec: 2, reason: 'upgrade', waitForQuiesce: false },
      { waitForQuiesce: true },
    ]);
    expect(requests()[1]).not.toHaveProperty('timeoutSec');
  });

  test('with --wait: 75 at the timeout, 0 when the server is quiescent', async () => {
    const late = await against({ Drain: () => draining });
    expect((await late.svc(['drain', '--wait'])).code).toBe(75);
    const quiet = await against({ Drain: () => ({ state: 4, quiesced: true }) });
    const { code, stdout } = await quiet.svc(['drain', '--wait', '--plain', '-f'], { terminal: true });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'state     QUIESCED\nquiesced  yes\n' });
  });

  test('asks on a terminal', async () => {
    const { svc, requests } = await against({ Drain: () => draining });
    const no = await svc(['drain'], { terminal: true, stdin: 'n\n' });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('Drain the server? It takes no writes until it is restarted. [y/N]');
    expect(requests()).toHaveLength(0);
    expect((await svc(['drain'], { terminal: true, stdin: 'y\n' })).code).toBe(0);
  });
});

describe('purge-jobs', () => {
  const purged = { jobsPurged: 12n, attemptsPurged: 14n, referencesPurged: 3n, dryRun: true };

  test('computes the time from now and reports the deleted jobs', async () => {
    const { svc, requests } = await against({ PurgeBackgroundJobs: () => purged });
    const flags = ['--status', 'failed', '--status', 'BACKGROUND_JOB_CANCELED', '--limit', '5', '--dry-run'];
    const { stdout } = await svc(['purge-jobs', '--older-than', '72h', ...flags]);
    const cells = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(cells).toEqual([['JOBS', 'ATTEMPTS', 'FROM HISTORIES', 'DRY RUN'], ['12', '14', '3', 'yes'], ['']]);
    await svc(['purge-jobs', '--older-than', '2026-01-01']);
    expect(requests()).toMatchObject([
      { olderThan: timestampFromMs(NOW - 72 * 3_600_000), statuses: [4, 5], limit: 5n, dryRun: true },
      { olderThan: timestampFromMs(Date.UTC(2026, 0, 1)), statuses: [], limit: 0n, dryRun: false },
    ]);
  });

  test('needs a time, and asks on a terminal unless it is a dry run', async () => {
    const { svc, requests } = await against({ PurgeBackgroundJobs: () => purged });
    expect(await svc(['purge-jobs'])).toMatchObject({ code: 64, stderr: expect.stringContaining('--older-than') });
    expect((await svc(['purge-jobs', '--older-than', '7d', '--status', 'RUNNING'])).code).toBe(64);
    expect((await svc(['purge-jobs', '--older-than', '7d'], { terminal: true, stdin: 'n\n' })).code).toBe(1);
    expect(requests()).toHaveLength(0);
    expect((await svc(['purge-jobs', '--older-than', '7d', '--dry-run'], { terminal: true })).code).toBe(0);
  });
});

test('reload-license: an invalid file is a failure, a missing file is not', async () => {
  const activeLicense = {
    filename: 'b.json',
    sha256: 'ab'.repeat(32),
    sizeBytes: 64n,
    modifiedAt: timestampFromMs(NOW),
  };
  const bad = await against({ ReloadLicense: () => ({ status: 3, message: 'b.json: not JSON', activeLicense }) });
  const { code, stdout } = await bad.svc(['reload-license', '--plain'], { terminal: true });
  expect(code).toBe(1);
  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    status   FAILED
    message  b.json: not JSON
    file     b.json
    size     64 B
    changed  2026-03-05T09:30:00Z
    sha256   abababababababababababababababababababababababababababababababab
    "
  `);
  const none = await against({ ReloadLicense: () => ({ status: 4 }) });
  expect(await none.svc(['reload-license', '-o', 'ndjson'])).toMatchObject({
    code: 0,
    stdout: '{"status":"NOT_FOUND"}\n',
  });
});
