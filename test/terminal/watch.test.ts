import { expect, test } from 'vitest';
import { SystemService } from '../../src/shared/gen/service/v1/system_pb.ts';
import { useTerminals } from '../support/terminal.ts';
import { failure } from '../unit/cli-grpc-failure.ts';
import { startGrpcServer } from '../unit/cli-grpc-server.ts';

const open = useTerminals();

/** Escape sequences that empty the screen, or what has scrolled out of it. */
const CLEARS = ['\u001b[2J', '\u001b[3J', '\u001bc', '\u001b[?1049h'];

test('status is drawn over itself, cut to the height, and says when it is no longer fresh', async () => {
  let calls = 0;
  let isAway = false;
  const requests = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Call${at}`, { count: 1n }]));
  const server = await startGrpcServer([SystemService], {
    unary: {
      GetSystemStatus: () => {
        calls += 1;
        if (isAway) throw failure(14, 'The server is shutting down', { 'x-error-code': 'UNAVAILABLE' });
        return {
          state: 'READY',
          database: 'embedded',
          schemaVersion: 7,
          counts: { memories: BigInt(calls) },
          requests,
        };
      },
    },
  });
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', PAGER: 'less' };
  try {
    const terminal = open(['system', 'status', '-w', '--interval', '0.2'], {
      env,
      rows: 12,
      afterwards: 'echo behind it',
    });
    await terminal.shows('memories 1');
    await terminal.shows(/memories [3-9]/);
    // 10 rows of it, the last line, and the row of the cursor.
    expect(terminal.lines).toHaveLength(11);
    expect(terminal.lines[0]).toMatch(/^FIELD +VALUE$/);
    expect(terminal.lines.at(-1)).toMatch(/^\d+ more rows\. Every 0\.2 s\. Ctrl-C ends it\.$/);

    terminal.resize(50, 9);
    await terminal.shows(/^FIELD[\s\S]*memories \d+(?:\n.*){1,6}more rows/);

    isAway = true;
    await terminal.shows(/Not refreshed for \d+ s, trying again/);
    expect(terminal.text).toMatch(/memories \d/);
    isAway = false;
    await terminal.shows(/Every 0\.2 s\. Ctrl-C ends it\.$/);

    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.lines.at(-1)).toBe('behind it');
    expect(CLEARS.filter((sequence) => terminal.raw.includes(sequence))).toEqual([]);
  } finally {
    server.close();
  }
});
