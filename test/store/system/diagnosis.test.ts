import { afterAll, beforeAll, expect, test } from 'vitest';
import { StaleError } from '../../../src/server/context.ts';
import { Lifecycle } from '../../../src/server/lifecycle.ts';
import { createRecentStatistics } from '../../../src/server/metrics/recent.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp, type ProviderHttp } from '../../../src/server/providers/http.ts';
import { newId } from '../../../src/server/service/resources.ts';
import { createSystemHealthHandlers, type SystemHealthDeps } from '../../../src/server/service/system/handlers.ts';
import { createTargetOpener } from '../../../src/server/service/targets/open-target.ts';
import { selectCounts } from '../../../src/server/store/counts.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { DiagnosisCheck_Status as Status } from '../../../src/shared/gen/service/v1/system_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { openLog } from '../../support/log.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { TeiStandIn } from '../../support/stand-ins/tei.ts';
import { SECRETS_KEY, sql, useWorld } from '../identity.fixture.ts';

const world = useWorld();
let http: ProviderHttp;
let deps: SystemHealthDeps;

beforeAll(async () => {
  http = createProviderHttp({ policy: LOOPBACK_POLICY });
  const { db } = world;
  const clients = createTargetClients({
    http,
    timeoutMs: 10_000,
    builtin: async () => {
      throw new Error('not asked here');
    },
  });
  deps = {
    db,
    lifecycle: new Lifecycle(),
    recent: createRecentStatistics(),
    targets: createTargetOpener({ pool: db.main, secretsKey: SECRETS_KEY, clients }),
    certificate: { selfSigned: true, expiresAt: new Date(Date.now() + 5.5 * 86_400_000) },
    dataDir: undefined,
  };
});
afterAll(() => http.close());

function contextOf(key: 'diagnose' | 'getSystemStatus', signal = new AbortController().signal) {
  const base = { operation: OPERATIONS[key], requestId: 'test', signal, caller: world.root, initToken: undefined };
  return { ...base, files: undefined, log: openLog() };
}

/** What one check finds, with the name of its status. */
async function check(name: string, over: Partial<SystemHealthDeps> = {}) {
  const { diagnose } = createSystemHealthHandlers({ ...deps, ...over });
  const { checks } = await diagnose({ $typeName: 'service.v1.DiagnoseRequest' }, contextOf('diagnose'));
  const found = checks.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no check ${name}`);
  const { status, message, remedy } = found;
  expect(remedy === '').toBe(status === Status.OK);
  return { status: Status[status], message, remedy };
}

test('an invalid index is a failure; a vector index is rebuilt', async () => {
  const { db } = world;
  expect(await check('indexes')).toMatchObject({ status: 'OK', message: expect.stringMatching(/^All \d+ indexes/) });
  await db.main.script('create table scratch as select 1 as n from generate_series(1, 2)');
  // Fails on the second row and leaves what it had built, as any build that is cut short does.
  const build = { name: 'test.build', text: 'create unique index concurrently scratch_key on scratch (n)' };
  await expect(db.main.execute(build)).rejects.toThrow();
  // PostgreSQL tells the error before it has cleared the build away, which counts as under way until then.
  while ((await sql(db, 'select 1 from pg_stat_progress_create_index where datname = current_database()')).length > 0);
  expect(await check('indexes')).toEqual({
    status: 'FAIL',
    message: 'Invalid indexes: scratch_key',
    remedy: 'Run in the database: reindex index concurrently "scratch_key";',
  });
  await db.main.script('drop table scratch; create table vectors (v halfvec(3))');
  await db.main.script(`create index vectors_index on vectors using hnsw (v halfvec_cosine_ops);
    update pg_index set indisvalid = false where indexrelid = 'vectors_index'::regclass`);
  expect(await check('indexes')).toMatchObject({ status: 'WARN', message: 'Invalid vector indexes: vectors_index' });
  await db.main.script('drop table vectors');
});

test('an embedder that is down is a warning, and a failure once a space has it', async () => {
  const { call, db, root } = world;
  // With an embedded database the initialization makes one.
  await sql(db, 'delete from embedder');
  expect(await check('embedders')).toMatchObject({ status: 'OK', message: 'There are no embedders' });
  const provider = await TeiStandIn.start({ dimensions: 8 });
  try {
    const request = { displayName: 'near', providerType: ProviderType.TEI, endpointUrl: provider.url };
    const model = { modelIdentifier: 'm', dimensionality: 8 };
    const { embedderId } = await call('createEmbedder', { ...request, ...model }, root);
    expect(await check('embedders')).toMatchObject({ status: 'OK', message: 'The embedder answers' });
    provider.always({ kind: 'status', status: 500, body: '{"error":"out of memory"}' });
    const warned = await check('embedders');
    expect(warned).toMatchObject({ status: 'WARN', remedy: expect.stringContaining(`svc ping ${embedderId}`) });
    expect(warned.message).toMatch(/^The embedder returns no vectors: near \(.*500/);
    await call('createSpace', { name: 's', embedderId }, root);
    expect(await check('embedders')).toMatchObject({ status: 'FAIL' });
  } finally {
    await provider.close();
  }
  expect(await check('embedders')).toMatchObject({ status: 'FAIL', message: expect.stringContaining('near') });
});

test('asks no provider for a key that was revoked since a call learned of it', async () => {
  const { call, root } = world;
  const provider = await TeiStandIn.start({ dimensions: 8 });
  try {
    const request = { displayName: 'asked', providerType: ProviderType.TEI, endpointUrl: provider.url };
    const { embedderId } = await call('createEmbedder', { ...request, modelIdentifier: 'm', dimensionality: 8 }, root);
    const before = provider.requests.length;
    const premise = {
      guard: undefined,
      settle: async () => {
        throw new StaleError('key');
      },
      renew: async () => undefined,
    };
    const { diagnose } = createSystemHealthHandlers(deps);
    const asked = diagnose({ $typeName: 'service.v1.DiagnoseRequest' }, { ...contextOf('diagnose'), premise });
    await expect(asked).rejects.toThrow(StaleError);
    expect(provider.requests.length).toBe(before);
    await call('deleteEmbedder', { embedderId }, root);
  } finally {
    await provider.close();
  }
});

test('a job whose worker was lost long ago is a failure, one that waits long a warning', async () => {
  expect(await check('jobs')).toMatchObject({ status: 'OK' });
  const insert = (status: string, runAt: string, lease: string) =>
    sql(
      world.db,
      `insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, lease_until, created_at,
         updated_at)
       values ('PROCESS', '${newId()}', '${newId()}', '${newId()}', '${status}', 5, now() - interval '${runAt}', now() - interval '${lease}',
         now(), now())`,
    );
  await insert('RUNNING', '1 hour', '1 minute');
  await insert('PENDING', '-1 hour', '0');
  expect(await check('jobs')).toMatchObject({ status: 'OK' });
  await insert('PENDING', '20 minutes', '0');
  expect(await check('jobs')).toMatchObject({ status: 'WARN', message: expect.stringContaining('20 minutes') });
  await insert('RUNNING', '1 hour', '10 minutes');
  expect(await check('jobs')).toMatchObject({ status: 'FAIL', message: expect.stringMatching(/^1 job /) });
});

test('memories that have FAILED in the last day are counted, with the commonest reason', async () => {
  await sql(world.db, `update job set lease_until = now() + interval '1 minute', run_at = now()`);
  const [space] = await sql<{ id: string }>(world.db, 'select space_id as id from space');
  const insert = (status: string, reason: string | null, age: string) =>
    sql(
      world.db,
      `insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type,
         processing_status, failure_reason, created_at, updated_at, created_by_id, updated_by_id)
       values ($1, $2, $2, 0, '', 'text/plain', $3, $4, now(), now() - $5::interval, $2, $2)`,
      [space?.id, newId(), status, reason, age],
    );
  for (const age of ['0', '23 hours']) await insert('FAILED', 'the key was refused', age);
  await insert('FAILED', 'another reason', '0');
  for (const age of ['25 hours', '26 hours', '27 hours']) await insert('FAILED', 'long ago', age);
  for (const _ of [1, 2, 3]) await insert('COMPLETED', null, '0');
  expect(await check('jobs')).toMatchObject({
    status: 'WARN',
    message: 'No job is stuck; 3 memories have FAILED in the last 24 hours, 2 of them with: the key was refused',
  });
  await sql(world.db, 'delete from memory');
  await sql(
    world.db,
    `update job set lease_until = now() - interval '10 minutes' where status = 'RUNNING' and job_id =
    (select max(job_id) from job)`,
  );
});

test('status counts jobs by outcome', async () => {
  await sql(world.db, `update job set status = 'FAILED' where lease_until < now() - interval '5 minutes'`);
  const { getSystemStatus } = createSystemHealthHandlers(deps);
  const status = await getSystemStatus(
    { $typeName: 'service.v1.GetSystemStatusRequest' },
    contextOf('getSystemStatus'),
  );
  expect(status).toMatchObject({ state: 'STARTING', jobs: { PENDING: 2n, RUNNING: 1n, FAILED: 1n } });
  expect(status.counts).toEqual({ users: 4n, spaces: 1n, memories: 0n });
});

test('above a number of rows the estimate of the planner is reported', async () => {
  const { db } = world;
  await sql(
    db,
    `insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at, updated_at)
     select 'PROCESS', '${newId()}', '${newId()}', '${newId()}', 'FAILED', 5, now(), now(), now() from generate_series(1, 2000)`,
  );
  await db.main.script('analyze job');
  const exact = { PENDING: 2, RUNNING: 1, FAILED: 2001 };
  expect((await selectCounts(db.main, { exactLimit: 2004 })).jobs).toEqual(exact);
  const { counts, jobs } = await selectCounts(db.main, { exactLimit: 3 });
  expect(jobs).toEqual({ ...exact, FAILED: expect.closeTo(2001, -2) });
  expect(counts.users).toBeGreaterThanOrEqual(4);
  expect(counts.spaces).toBe(1);
});

test('certificate and disk are checked on the server', async () => {
  expect(await check('tls_expiry')).toMatchObject({ status: 'WARN', message: expect.stringContaining('in 5 days') });
  expect(await check('disk')).toMatchObject({
    status: 'OK',
    message: expect.stringMatching(/^The database takes \d+ MiB/),
  });
  expect((await check('disk', { dataDir: '/' })).message).toMatch(/are free on the disk of the data directory \/$/);
  expect(await check('disk', { dataDir: '/nowhere/at/all' })).toMatchObject({ status: 'FAIL' });
});

test('a client abort ends the diagnosis', async () => {
  const { diagnose } = createSystemHealthHandlers(deps);
  const context = contextOf('diagnose', AbortSignal.abort());
  await expect(diagnose({ $typeName: 'service.v1.DiagnoseRequest' }, context)).rejects.toThrow();
});
