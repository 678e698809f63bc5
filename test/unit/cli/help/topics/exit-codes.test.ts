import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT_MEANINGS } from '../../../../../src/cli/help/topics.ts';
import { Interrupted, OutputClosed } from '../../../../../src/cli/kit/errors.ts';
import { stdoutFailure } from '../../../../../src/cli/kit/output/sink.ts';
import { ERROR_CODES } from '../../../../../src/shared/errors.ts';
import { EXIT } from '../../../../../src/shared/exit-codes.ts';
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import { MemoryService } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { PingService } from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../../../src/shared/gen/service/v1/user_pb.ts';
import { failure } from '../../../../support/client/grpc-failure.fixture.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../../support/client/grpc-server.fixture.ts';
import { type CliOptions, cli } from '../../../../support/client/host.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';

let server: TestGrpcServer;
let folder: string;

beforeAll(async () => {
  server = await startGrpcServer([SpaceService, UserService, Health, MemoryService, PingService], {
    unary: {
      ListSpaces: () => ({ spaces: [] }),
      // The code that is asked for by name comes back as the service sends it.
      CreateUser: ({ request }) => Promise.reject(told((request as unknown as { displayName: string }).displayName)),
      Check: () => ({ status: ServingStatus.NOT_SERVING }),
      PingOnce: () => ({ ok: false }),
    },
    stream: {
      RetrieveMemory: (call, send) => {
        send({ event: { case: 'resultSetBoundary', value: { kind: 1 } } });
        call.end();
      },
    },
  });
  folder = mkdtempSync(join(tmpdir(), 'svc-exit-'));
  writeFileSync(join(folder, 'broken.json'), '{');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function told(code: string): Error {
  const row = Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1];
  return failure(row?.grpc ?? 13, `told ${code}`, { 'x-error-code': code });
}

function exitOf(args: readonly string[], options: CliOptions = {}): Promise<{ code: number; stderr: string }> {
  return cli(args, { ...options, env: { SVC_SERVER: `http://127.0.0.1:${server.port}`, ...options.env } });
}

function noClock(): never {
  throw new TypeError('there is no clock');
}

function noRoom(): never {
  throw stdoutFailure(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), { isTTY: false });
}

/** One case for each code of the table; those of the service's errors are below. */
const CASES: readonly (readonly [exit: number, what: string, args: readonly string[], options?: CliOptions])[] = [
  [0, 'an empty list', ['spaces', 'list']],
  [0, 'the reader of a pipe went away', ['spaces', 'list'], { signal: AbortSignal.abort(new OutputClosed()) }],
  [EXIT.failed, 'no probe succeeded', ['ping', ID]],
  [EXIT.usage, 'a wrong flag', ['spaces', 'list', '--nosuch']],
  [EXIT.usage, 'no command', []],
  [EXIT.noInput, 'no such input file', ['--api-key-file', '/nosuch', 'spaces', 'list']],
  [EXIT.unavailable, 'no connection', ['spaces', 'list'], { env: { SVC_SERVER: 'http://127.0.0.1:1' } }],
  [EXIT.unavailable, 'the server is not ready', ['health']],
  [EXIT.output, 'no room for the output', ['help'], { onOutput: noRoom }],
  [EXIT.partial, 'a stream that ended before its end', ['retrieve', 'x', '--space', ID]],
  [EXIT.configuration, 'no such profile', ['--profile', 'nosuch', 'spaces', 'list']],
  [EXIT.configuration, 'a pin without a profile', ['--tls', 'pin', 'health', '--server', 'localhost:1']],
  [EXIT.configuration, 'a server that refuses to start', ['serve', '--rest-port', 'many']],
  [EXIT.interrupted, 'Ctrl-C', ['spaces', 'list'], { signal: AbortSignal.abort(new Interrupted('SIGINT')) }],
  [EXIT.terminated, 'SIGTERM', ['spaces', 'list'], { signal: AbortSignal.abort(new Interrupted('SIGTERM')) }],
  [EXIT.bug, 'a bug in svc', ['apikeys', 'create', '--expires', '1d'], { now: noClock }],
];

for (const [exit, what, args, options] of CASES) {
  test(`${exit}: ${what}`, async () => {
    const { code, stderr } = await exitOf(args, options);
    expect({ code, stderr }).toMatchObject({ code: exit });
  });
}

test.each(Object.entries(ERROR_CODES))('%s ends with its code', async (name, { exit }) => {
  const { code, stderr } = await exitOf(['users', 'create', '--email', 'a@b.c', '--display-name', name]);
  expect(code).toBe(exit);
  expect(stderr).toContain(`told ${name}`);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
});

test('every code of the table has a case here, and every case a meaning', () => {
  const shown = new Set([...CASES.map(([exit]) => exit), ...Object.values(ERROR_CODES).map(({ exit }) => exit)]);
  expect([...shown].sort((a, b) => a - b)).toEqual(EXIT_MEANINGS.map(({ exit }) => exit));
});
