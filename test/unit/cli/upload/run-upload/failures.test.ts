import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../../src/cli/kit/errors.ts';
import { callFailure } from '../../../../support/client/memory-store.fixture.ts';
import { AGAIN, useUploads } from '../uploads.fixture.ts';

const { place, store } = useUploads();

test('a rate limit delays all calls, is reported once, and then the run continues', async () => {
  let until: number | undefined;
  let refused = 0;
  const call = (): Error | undefined => {
    until ??= Date.now() + 1000;
    if (Date.now() >= until) return undefined;
    refused += 1;
    return callFailure('RESOURCE_EXHAUSTED', 'Rate limit exceeded', '1');
  };
  const { add, count } = await store({ call });
  await mkdir(join(place.folder, 'limited'));
  for (let at = 0; at < 120; at += 1) await writeFile(join(place.folder, `limited/${at}.txt`), `note ${at}`);
  const { code, stderr } = await add(['limited']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'waiting 1 s: rate limit\n120 uploaded\n' });
  expect(count('BatchCreateMemory')).toBe(refused + 3);
  expect(refused).toBeLessThanOrEqual(3);
  await rm(join(place.folder, 'limited'), { recursive: true });
});

test('Ctrl-C while files are looked for says that nothing was uploaded', async () => {
  const { add, server } = await store();
  const { code, stderr } = await add(['notes'], { signal: AbortSignal.abort(new Interrupted('SIGINT')) });
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: 'Interrupted while looking for files: nothing was uploaded.\n',
  });
  expect(server.calls).toEqual([]);
});

test('Ctrl-C during a pause reports the progress and how to resume', async () => {
  const limited = callFailure('RESOURCE_EXHAUSTED', 'Rate limit exceeded', '600');
  const { add, server } = await store({ call: (create) => (create === 2 ? limited : undefined) });
  await add(['notes/a.txt']);
  const stop = new AbortController();
  const running = add(['notes/a.txt', 'notes/b.md'], { signal: stop.signal });
  await expect.poll(() => server.calls.filter(({ name }) => name === 'BatchCreateMemory').length).toBe(2);
  stop.abort(new Interrupted('SIGINT'));
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toContain(
    `Interrupted: 1 of 2 files are stored\n1 more was being sent; the server may have stored it.\n1 unchanged\n${AGAIN}`,
  );
});

test('items that fail during a restart are sent again, and only they', async () => {
  let isStopping = true;
  const { add, server } = await store({
    item: ({ metadata }) => (isStopping && metadata.filename === 'b.md' ? 'UNAVAILABLE' : undefined),
    call: (create) => {
      isStopping = create === 1;
      return create === 2 ? callFailure('UNAVAILABLE', 'The server is starting', '0') : undefined;
    },
  });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md']);
  const waiting = 'waiting 1 s: the server does not answer\n';
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${waiting}${waiting}2 uploaded\n` });
  const calls = server.calls.filter(({ name }) => name === 'BatchCreateMemory');
  expect(calls.map(({ request }) => (request as { requests: unknown[] }).requests.length)).toEqual([2, 1, 1]);
});

test('a server that was never reachable is not waited for', async () => {
  const down = () => callFailure('UNAVAILABLE', 'Going down');
  const { add } = await store({ list: down, call: down });
  const { code, stderr } = await add(['notes/a.txt']);
  expect(code).toBe(69);
  expect(stderr).toMatch(new RegExp(`^${AGAIN}svc: Going down\n`));
});

test('a failure of one file does not stop the others', async () => {
  const { add, stored } = await store({
    item: ({ metadata }) => (metadata.filename === 'a.txt' ? 'PAYLOAD_TOO_LARGE' : undefined),
  });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md']);
  expect(code).toBe(65);
  const why = 'notes/a.txt: Refused: PAYLOAD_TOO_LARGE\n';
  expect(stderr).toBe(`failed  ${why}1 uploaded, 1 failed\nFailed:\n  ${why}`);
  expect(stored.size).toBe(1);
});

test('a batch that fails as a whole is sent file by file', async () => {
  const broken = callFailure('INTERNAL', 'The server failed');
  const { add, stored } = await store({ call: (create) => (create <= 2 ? broken : undefined) });
  const { code, stderr } = await add(['notes/a.txt', 'notes/b.md', 'notes/plain']);
  expect(code).toBe(1);
  expect(stderr).toContain('2 uploaded, 1 failed\nFailed:\n  notes/a.txt: The server failed\n');
  expect(stored.size).toBe(2);
});

test('a missing permission stops at once, with the summary', async () => {
  const { add, count } = await store({ item: () => 'PERMISSION_DENIED' });
  const { code, stderr } = await add(['notes']);
  expect(code).toBe(77);
  expect(stderr).toContain('svc: Refused: PERMISSION_DENIED\n');
  expect(count('BatchCreateMemory')).toBe(1);
});

test('a terminal without a screen gets a line for each file and nothing that is redrawn', async () => {
  const { add } = await store();
  const { stdout, stderr } = await add(['notes/a.txt', 'notes/b.md'], { terminal: true, columns: 60 });
  expect(stdout).toMatch(/^uploaded {2}\S+ {2}notes\/a\.txt\nuploaded {2}\S+ {2}notes\/b\.md\n$/);
  expect(stderr.endsWith('2 uploaded\n')).toBe(true);
});
