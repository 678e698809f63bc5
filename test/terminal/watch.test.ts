import { expect, test } from 'vitest';
import { SystemService } from '../../src/shared/gen/service/v1/system_pb.ts';
import { failure } from '../support/client/grpc-failure.fixture.ts';
import { startGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { SVC_IN_SHELL } from '../support/command.ts';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();

/** Escape sequences that empty the screen, or what has scrolled out of it. */
const CLEARS = ['\u001b[2J', '\u001b[3J', '\u001bc', '\u001b[?1049h'];

test('status is redrawn in place, cut to the height, and says when it is outdated', async () => {
  let calls = 0;
  let isUnavailable = false;
  const requests = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Call${at}`, { count: 1n }]));
  const server = await startGrpcServer([SystemService], {
    unary: {
      GetSystemStatus: () => {
        calls += 1;
        if (isUnavailable) throw failure(14, 'The server is shutting down', { 'x-error-code': 'UNAVAILABLE' });
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

    isUnavailable = true;
    await terminal.shows(/Not refreshed for \d+ s, trying again/);
    expect(terminal.text).toMatch(/memories \d/);
    isUnavailable = false;
    await terminal.shows(/Every 0\.2 s\. Ctrl-C ends it\.$/);

    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.lines.at(-1)).toBe('behind it');
    expect(CLEARS.filter((sequence) => terminal.raw.includes(sequence))).toEqual([]);
  } finally {
    server.close();
  }
});

test('after Ctrl-Z and fg it is redrawn below the output of the shell', async () => {
  let calls = 0;
  const server = await startGrpcServer([SystemService], {
    unary: {
      GetSystemStatus: () => {
        calls += 1;
        return { state: 'READY', database: 'embedded', schemaVersion: 7, counts: { memories: BigInt(calls) } };
      },
    },
  });
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', PS1: 'ready> ' };
  try {
    const shell = open(['--norc', '--noprofile', '-i'], { program: 'bash', env, rows: 40 });
    await shell.shows(/^ready> $/m);
    shell.type(`${SVC_IN_SHELL} system status -w --interval 0.2\r`);
    await shell.shows(/memories [2-9]/);
    shell.type('\u001a');
    await shell.shows(/Stopped[\s\S]*\nready> $/);
    const before = shell.text;
    const stopped = calls;
    shell.type('fg\r');
    await shell.shows(new RegExp(`memories ${stopped + 3}`));
    // All that was there still is, and the picture stands below it once.
    expect(shell.text.startsWith(`${before}fg\n`)).toBe(true);
    expect(shell.text.slice(before.length).match(/^FIELD/gm)).toHaveLength(1);
    shell.type('\u0003');
    await shell.shows(/Ctrl-C ends it\.\nready> $/);
  } finally {
    server.close();
  }
});
