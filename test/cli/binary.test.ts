import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../support/client/host.fixture.ts';
import { SVC_IN_SHELL } from '../support/command.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runSvc, startServer, type TestServer } from '../support/server.ts';

let database: TestDatabase;
let server: TestServer;
let env: Record<string, string>;

/** The real binary against a real server, with the TLS that a server has by default. */
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseFlags: database.serverFlags, flags: ['--tls-disabled', 'false'] });
  env = { SVC_SERVER: server.grpc.replace(/^https?:\/\//, ''), SVC_TLS: 'insecure' };
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
});

const svc = (args: readonly string[], more: { env?: Record<string, string>; input?: string } = {}) =>
  runSvc(args, { ...more, env: { ...env, ...more.env } });

/** stdout of a call that must succeed without a word on stderr. */
async function data(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await svc(args);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a new server', () => {
  test('is healthy and tells its version without a key', async () => {
    expect(await data('health')).toBe('SERVING\n');
    expect(JSON.parse(await data('health', '--probe', 'live', '-o', 'json'))).toEqual({ status: 'SERVING' });
    expect(JSON.parse(await data('system', 'info', '-o', 'ndjson'))).toHaveProperty('version');
  });

  test('asks for a key, with what to do next', async () => {
    const { code, stdout, stderr } = await svc(['spaces', 'list']);
    expect({ code, stdout }).toEqual({ code: 77, stdout: '' });
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect(stderr).toContain('svc init');
  });

  test('init prints the key alone; a repeat changes nothing and exits with 0', async () => {
    const first = await svc(['init']);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^svc_[a-z2-7]{32}\n$/);
    env.SVC_API_KEY = first.stdout.trim();
    expect(await svc(['init'])).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse((await svc(['init', '-o', 'json'])).stdout)).toMatchObject({ alreadyInitialized: true });
  });
});

test('an embedded database has its first embedder already', async () => {
  const embedders = JSON.parse(await data('embedders', 'list', '-o', 'json'));
  expect(embedders).toMatchObject([{ providerType: 'BUILTIN', dimensionality: 1024, labels: { default: 'true' } }]);
});

describe('TLS as a server has it by default', () => {
  test('the client stops at unverified TLS and says so; --tls verify refuses', async () => {
    const auto = await svc(['health'], { env: { SVC_TLS: 'auto' } });
    expect(auto).toMatchObject({ code: 0, stdout: 'SERVING\n' });
    expect(auto.stderr).toMatch(
      /its certificate is self-signed; using TLS without verification\. To forbid it: --tls verify\n$/,
    );
    expect((await svc(['health', '--tls', 'verify'])).code).toBe(69);
  });
});

describe('spaces', () => {
  test('are made, listed, found by name, changed and deleted', async () => {
    const made = await record('spaces', 'create', 'house', '--label', 'team=home', '--chunk-size', '200');
    expect(made).toMatchObject({ name: 'house', defaultChunkingConfig: { recursive: { chunkSize: 200 } } });
    const statistics = { memoryCount: 0, contentBytes: 0 };
    expect(await record('spaces', 'get', 'house')).toEqual({ ...made, statistics });
    expect((await data('spaces', 'list')).split('\n')[1]).toMatch(
      new RegExp(`^${made.spaceId}  house +no +team=home `),
    );
    const changed = await record('spaces', 'update', 'house', '--name', 'home', '--merge-labels', 'x=y');
    expect(changed).toMatchObject({ name: 'home', labels: { team: 'home', x: 'y' } });
    expect(await direct(['spaces', 'get', 'house'])).toMatchObject({ code: 66 });
    expect(await direct(['spaces', 'create', 'home'])).toMatchObject({ code: 65 });
    expect(await svc(['spaces', 'delete', 'home', '-f'])).toMatchObject({ code: 0, stdout: '' });
    expect(await direct(['spaces', 'list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('svc spaces create'),
    });
  });

  test('every page is listed', async () => {
    for (const name of ['a1', 'a2', 'a3']) await record('spaces', 'create', name);
    const names = async (...flags: string[]) =>
      (await direct(['spaces', 'list', '--sort', 'name', '-o', 'ndjson', ...flags])).stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).name);
    expect(await names('--all')).toEqual(['a1', 'a2', 'a3']);
    expect(await names('--limit', '2')).toEqual(['a1', 'a2']);
    expect(await names('--name', '?2', '--order', 'desc')).toEqual(['a2']);
  });

  test('a bad field comes back as the flag that filled it', async () => {
    const { code, stderr } = await direct(['spaces', 'create', 'x', '--id', 'nonsense', '-o', 'json']);
    expect(code).toBe(65);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: '--id: not a UUID',
    });
  });
});

test('API keys are made, restricted, deactivated and deleted', async () => {
  const { code, stdout, stderr } = await svc([
    'apikeys',
    'create',
    '--read-only',
    '--expires',
    '30d',
    '--label',
    'purpose=ci',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^svc_[a-z2-7]{32}\n$/);
  const id = /Key (\S+)\./.exec(stderr)?.[1] ?? '';
  const limited = { env: { ...env, SVC_API_KEY: stdout.trim() } };
  expect((await cli(['spaces', 'list'], limited)).code).toBe(0);
  expect((await cli(['spaces', 'create', 'forbidden'], limited)).code).toBe(77);
  expect(await record('apikeys', 'get', id)).toMatchObject({ labels: { purpose: 'ci' }, status: 'ACTIVE' });
  await record('apikeys', 'update', id, '--status', 'INACTIVE');
  expect((await cli(['spaces', 'list'], limited)).code).toBe(77);
  expect((await direct(['apikeys', 'delete', id, '-f'])).code).toBe(0);
  expect((await direct(['apikeys', 'get', id])).code).toBe(66);
});

/** The same command line in this process, where a new one would show nothing more. */
const direct = (args: readonly string[], stdin = '') => cli(args, { env, stdin });

async function record(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await direct([...args, '-o', 'json']);
  expect({ code, args, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

describe.each([
  ['embedders', 'embedderId', ['--provider', 'TEI', '--dimensions', '8']],
  ['llms', 'llmId', ['--provider', 'VLLM', '--capability', 'streaming=false', '--temperature', '0.5']],
  ['rerankers', 'rerankerId', ['--provider', 'COHERE']],
] as const)('%s', (noun, id, own) => {
  const create = [noun, 'create', ...own, '--name', 'One', '--model', 'm', '--url', 'http://127.0.0.1:1'];

  test('are registered, changed, found, listed and deleted', async () => {
    const made = await record(...create, '--secret-ref', 'env://SVC_TEST_KEY', '--label', 'team=home');
    const key = String(made[id]);
    expect(made).toMatchObject({ displayName: 'One', labels: { team: 'home' } });
    expect(await record(noun, 'update', key, '--name', 'Two', '--replace-labels', '')).toMatchObject({ labels: {} });
    expect(await record(noun, 'get', key)).toMatchObject({ displayName: 'Two', modelIdentifier: 'm' });
    expect((await direct([noun, 'list', '--owner', String(made.ownerId)])).stdout).toMatch(
      new RegExp(`^${key}  Two`, 'm'),
    );
    expect(await direct([noun, 'list', '--label', 'team=home'])).toMatchObject({ stdout: '', code: 0 });
    expect((await direct([noun, 'delete', key, '-f'])).code).toBe(0);
    expect((await direct([noun, 'get', key])).code).toBe(66);
  });

  test('never show a secret', async () => {
    const { code, stdout, stderr } = await direct([...create, '--secret', '-', '-o', 'json'], 'top-secret\n');
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('top-secret');
    expect((await direct([noun, 'delete', JSON.parse(stdout)[id], '-f'])).code).toBe(0);
  });
});

test('users are made, get a key, are changed and deleted', async () => {
  const made = await record('users', 'create', '--email', 'ada@example.org', '--display-name', 'Ada');
  const id = String(made.userId);
  const { stdout: key } = await direct(['apikeys', 'create', '--user', id]);
  const self = await cli(['users', 'get', '-o', 'json'], { env: { ...env, SVC_API_KEY: key.trim() } });
  expect(JSON.parse(self.stdout)).toEqual(made);
  expect(await record('users', 'update', id, '--username', 'ada')).toMatchObject({ username: 'ada', role: 'USER' });
  expect(await record('users', 'get', '--email', 'ADA@example.org')).toMatchObject({ userId: id });
  expect((await direct(['users', 'list', '--all'])).stdout.trimEnd().split('\n')).toHaveLength(3);
  expect((await direct(['users', 'delete', id, '-f'])).code).toBe(0);
  expect((await direct(['users', 'get', id])).code).toBe(66);
});

test('memories are changed, processed again, read in parts, and measured with questions', async () => {
  const added = await direct(
    [
      'memories',
      'add',
      'a1',
      '-',
      '--content-type',
      'text/plain',
      '--metadata',
      'room=cellar',
      '--wait',
      '-o',
      'ndjson',
    ],
    'The boiler was serviced on 3 March.',
  );
  const { memoryId } = JSON.parse(added.stdout);
  const changed = await record('memories', 'update', memoryId, '--merge-metadata', '{"room":null,"year":2026}');
  expect(changed).toMatchObject({ metadata: { year: 2026 } });
  expect(
    await record('memories', 'update', memoryId, '--replace-metadata', '{}', '--expires', '2100-01-01'),
  ).toMatchObject({
    metadata: {},
    expiresAt: expect.any(Number),
  });
  const text = 'The boiler was serviced on 3 March.';
  expect((await direct(['memories', 'content', memoryId])).stdout).toBe(text);
  expect(await record('memories', 'chunks', memoryId, '--vectors')).toMatchObject([
    { chunkText: text, vectors: [{ values: expect.any(Array) }] },
  ]);
  const question = {
    question: 'when was the boiler serviced?',
    memoryIds: [memoryId, '01980000-0000-7000-8000-0000000000f9'],
  };
  const measured = await direct(['eval', 'a1', '-', '-o', 'json'], `${JSON.stringify(question)}\n`);
  expect(JSON.parse(measured.stdout).totals).toEqual({ questions: 1, of: 1, k: 10, recall: 0.5, mrr: 1 });
  expect(await direct(['eval', 'a1', 'no-such-file.ndjson'])).toMatchObject({
    code: 66,
    stderr: 'svc: Cannot read no-such-file.ndjson\n  there is no such file\n',
  });
  expect(await record('memories', 'reprocess', memoryId)).toMatchObject({ memoryId, processingStatus: 'PENDING' });
  expect(await direct(['memories', 'delete', memoryId, '01980000-0000-7000-8000-0000000000f9', '-f'])).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('1 of 2 deletes failed; 1 memory deleted'),
  });
});

test('the server tells its state and its diagnosis, purges jobs and reads licenses', async () => {
  expect(await record('system', 'status')).toMatchObject({
    state: 'READY',
    counts: { spaces: 3 },
    pools: { main: {} },
  });
  const checks = (await direct(['system', 'doctor', '-o', 'json'])).stdout;
  expect(JSON.parse(checks).map(({ name }: { name: string }) => name)).toContain('database_version');
  expect(await record('system', 'health', '--probe', 'startup')).toEqual({ status: 'SERVING' });
  expect(await record('admin', 'purge-jobs', '--older-than', '2h', '--status', 'SUCCEEDED')).toMatchObject({
    jobsPurged: 0,
    dryRun: false,
  });
  expect(await direct(['admin', 'purge-jobs', '--older-than', new Date().toISOString()])).toMatchObject({ code: 65 });
  expect(await record('admin', 'reload-license')).toMatchObject({ status: 'NOT_FOUND' });
});

test('a server without OCR says so', async () => {
  const options = { env, stdin: 'not a document', offersAll: true };
  const { code, stdout, stderr } = await cli(['ocr', '-'], options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^svc: .+\n {2}This server has no OCR service. What it has: svc system info\n$/);
});

test.each([
  [['ocr', '-'], 'svc ocr', 'All commands: svc --help'],
  [['retrieve', 'boiler', '--search', 'hybrid'], '--search hybrid', 'It offers: vector'],
  [['memories', 'add', 'house', '.', '--page-images'], '--page-images', 'Leave it out'],
])('what the server cannot do is not offered: %j', async (args, what, next) => {
  const details = `  its server cannot do that\n  ${next}\n`;
  const stderr = `svc: This version of svc does not offer ${what} yet\n${details}`;
  expect(await direct(args, '')).toEqual({ code: 1, stdout: '', stderr });
});

describe('keys in files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('--api-key-file wins over the environment', async () => {
    const file = join(folder, 'key');
    await writeFile(file, `${env.SVC_API_KEY}\n`);
    const { code } = await svc(['spaces', 'list', '--api-key-file', file], { env: { SVC_API_KEY: 'svc_wrong' } });
    expect(code).toBe(0);
  });
});

test('a refused connection exits with 69 and says what to do', async () => {
  const { code, stderr } = await svc(['spaces', 'list', '--server', '127.0.0.1:1']);
  expect(code).toBe(69);
  expect(stderr).toContain('svc serve --embedded');
});

test('serve takes its flags, -D among them, and refuses what it cannot use', async () => {
  const config = await runSvc([
    'serve',
    '--embedded',
    '--rest-port=18081',
    '-Dservice.metrics.secret=hidden',
    '--print-config',
  ]);
  expect(config.code).toBe(0);
  expect(config.stdout).toMatch(/--rest-port +SERVICE_REST_PORT +flag +18081/);
  expect(config.stdout).toMatch(/--metrics-scrape-secret +SERVICE_METRICS_SECRET +property/);
  expect(config.stdout).not.toContain('hidden');
  expect((await runSvc(['serve', '--embedded', '--rest-port', 'x', '--check'])).code).toBe(78);
  expect((await runSvc(['serve', '--no-such-flag'])).code).toBe(64);
});

test('a shell pipe that closes early is no failure', async () => {
  const script = `set -o pipefail; ${SVC_IN_SHELL} serve --help | head -n 1`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script]);
  expect({ stdout, stderr }).toEqual({ stdout: 'Run the server.\n', stderr: '' });
});

test('a drained server refuses writes and is not ready', async () => {
  const drained = await record('admin', 'drain', '--wait', '--timeout', '10s', '--reason', 'a test');
  expect(drained).toMatchObject({ state: 'QUIESCED', quiesced: true });
  expect((await direct(['spaces', 'create', 'late'])).code).toBe(69);
  expect((await direct(['spaces', 'list'])).code).toBe(0);
  expect((await direct(['health'])).code).toBe(69);
});
