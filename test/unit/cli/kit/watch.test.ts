import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../../../src/shared/gen/service/v1/system_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { failure } from '../../../support/client/grpc-failure.fixture.ts';
import type { CliOptions } from '../../../support/client/host.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([SystemService, MemoryService, SpaceService, UserService]);

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const ME = '01980000-0000-7000-8000-0000000000a1';
const memory = (at: number) => ({
  memoryId: `0198000${at}-0000-7000-8000-000000000001`,
  spaceId: SPACE,
  processingStatus: 3,
  contentType: 'text/plain',
});
const status = (memories: number) => ({ state: 'READY', schemaVersion: 7, counts: { memories: BigInt(memories) } });
const UNAVAILABLE = failure(14, 'The server is shutting down', { 'x-error-code': 'UNAVAILABLE' });
const EXHAUSTED = failure(8, 'Too many requests', { 'x-error-code': 'RESOURCE_EXHAUSTED', 'retry-after': '0' });
const LATE = failure(4, 'Too slow', { 'x-error-code': 'DEADLINE_EXCEEDED' });
const GONE = failure(5, 'Space not found: house', { 'x-error-code': 'NOT_FOUND' });

type Answer = object | Error;

/** Answers one call after the other, and does what Ctrl-C does at the first call for which there is no answer. */
function until(answers: readonly Answer[]) {
  const stop = new AbortController();
  const left = [...answers];
  const handler = () => {
    const answer = left.shift();
    if (answer === undefined) stop.abort(new Interrupted('SIGINT'));
    if (answer instanceof Error) throw answer;
    return { ...answer };
  };
  return { handler, signal: stop.signal };
}

async function watchStatus(answers: readonly Answer[], args: readonly string[] = [], options: CliOptions = {}) {
  const { handler, signal } = until(answers);
  const { svc, server } = await against({ unary: { GetSystemStatus: handler } });
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', ...options.env };
  const words = ['system', 'status', '-w', '--interval', '0.1', ...args];
  return { ...(await svc(words, { signal, ...options, env })), calls: server.calls.length };
}

async function watchList(answers: readonly Answer[], args: readonly string[] = []) {
  const { handler, signal } = until(answers);
  const { svc } = await against({
    unary: {
      ListMemories: handler,
      ListSpaces: () => ({ spaces: [{ name: 'house', spaceId: SPACE, ownerId: ME }] }),
      GetUser: () => ({ userId: ME }),
    },
  });
  return svc(['memories', 'list', '-w', 'house', '--interval', '100ms', ...args], { signal });
}

test('in a pipe: one record below the other until Ctrl-C', async () => {
  const { code, stdout, stderr, calls } = await watchStatus([status(1), status(2)]);
  expect({ code, stderr, calls }).toEqual({ code: 130, stderr: '', calls: 3 });
  const tables = stdout.split('\n\n');
  expect(tables.map((table) => /memories \d/.exec(table)?.[0])).toEqual(['memories 1', 'memories 2']);
});

test('as NDJSON: one line a record', async () => {
  const { code, stdout } = await watchStatus([status(1), status(2)], ['-o', 'ndjson']);
  expect(code).toBe(130);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).counts)).toEqual([{ memories: 1 }, { memories: 2 }]);
});

test('a list keeps the argument after -w, and prints a remark once', async () => {
  const answers = [{ memories: [] }, { memories: [] }, { memories: [memory(1)] }, { memories: [memory(2), memory(1)] }];
  const { code, stdout, stderr } = await watchList(answers);
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: 'No memories yet. Add some: svc memories add house FILE\n',
  });
  expect(stdout.split('\n\n').map((table) => table.match(/0198000\d/g))).toEqual([
    ['01980001'],
    ['01980002', '01980001'],
  ]);
});

test.each([{ terminal: false }, { terminal: true }])('--json and --jq write a line a refresh (%o)', async (options) => {
  const fields = await watchStatus([status(1), status(2)], ['--json', 'state,counts'], options);
  expect(fields.stdout).toBe('{"state":"READY","counts":{"memories":1}}\n{"state":"READY","counts":{"memories":2}}\n');
  const jq = await watchStatus([status(1), status(2)], ['--json', 'counts', '--jq', '.counts'], options);
  expect(jq.stdout).toBe('{"memories":1}\n{"memories":2}\n');
});

test('an unavailable, overloaded or slow server is called again, with a message on stderr', async () => {
  const answers = [status(1), UNAVAILABLE, UNAVAILABLE, EXHAUSTED, LATE, status(2)];
  const { code, stdout, stderr, calls } = await watchStatus(answers, ['--json', 'counts']);
  expect({ code, calls }).toEqual({ code: 130, calls: 7 });
  expect(stdout).toBe('{"counts":{"memories":1}}\n{"counts":{"memories":2}}\n');
  expect(stderr).toBe(
    [
      'svc: Not refreshed, trying again: The server is shutting down\n',
      'svc: Not refreshed, trying again: Too many requests\n',
      'svc: Not refreshed, trying again: Too slow\n',
    ].join(''),
  );
});

test('any other failure, and any failure of the first call, ends it with its exit code', async () => {
  const gone = await watchList([{ memories: [memory(1)] }, GONE]);
  expect(gone).toMatchObject({ code: 66, stderr: expect.stringContaining('Space not found: house') });
  expect(gone.stdout).toContain('01980001');
  expect(await watchStatus([UNAVAILABLE])).toMatchObject({ code: 69, stdout: '', calls: 1 });
});

test('no pager while it watches', async () => {
  const { stdout, code } = await watchStatus([status(1)], ['--plain'], {
    terminal: true,
    columns: 80,
    env: { PAGER: 'less' },
    openPager: () => {
      throw new Error('a pager was opened');
    },
  });
  expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining('memories 1') });
});

test.each([
  [['system', 'status', '--interval', '5'], '--interval needs --watch'],
  ...['0', '0.05', '25h', '-1', 'soon'].map((text): [string[], string] => [
    ['system', 'status', '-w', `--interval=${text}`],
    `--interval must be from 0.1 seconds to a day, such as 5, 0.5 or 1m, got "${text}"`,
  ]),
])('%j is refused', async (words, message) => {
  const { svc, server } = await against({ unary: {} });
  const { code, stderr } = await svc(words);
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(message) });
  expect(server.calls).toEqual([]);
});
