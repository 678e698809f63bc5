import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { grpcWire } from '../support/grpc-wire.ts';
import { hasOwnPostgres, type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { raw } from '../support/raw-rest.ts';
import { restWire } from '../support/rest-wire.ts';
import { runSvc, startServer, type TestServer } from '../support/server.ts';
import { OpenAiStandIn } from '../support/stand-ins/openai.ts';

const DIMENSIONS = 16;
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const readiness = async (server: TestServer) => {
  const { status, json } = await raw(server, '/readyz');
  return { status, ...json };
};
const health = async (server: TestServer) =>
  JSON.parse((await runSvc(['health', '--server', server.grpc, '-o', 'json'])).stdout).status;
const READY = { status: 200, state: 'READY', started: true };
const SILENT = { status: 503, state: 'READY', started: true, database: 'NOT_ANSWERING' };
/** Ten seconds are promised; twice that leaves room for a machine that is busy. */
const noticed = { timeout: 20_000, interval: 100 };
const within = { timeout: 60_000, interval: 100 };

function stop(pids: readonly number[]): () => void {
  const send = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) process.kill(pid, signal);
  };
  send('SIGSTOP');
  let isStopped = true;
  const go = () => {
    if (isStopped) send('SIGCONT');
    isStopped = false;
  };
  // A process that is stopped cannot be ended in good order.
  cleanups.push(go);
  return go;
}

describe.runIf(hasOwnPostgres())('a suspended PostgreSQL', () => {
  let postgres: OwnPostgres;
  let key: string | undefined;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    return () => postgres.drop();
  });

  async function serve(flags: readonly string[] = []): Promise<TestServer> {
    const server = await startServer({ databaseFlags: postgres.serverFlags, flags });
    cleanups.push(() => server.end('SIGKILL'));
    return server;
  }

  /** Of the one database of these tests. */
  async function rootKey(server: TestServer): Promise<string> {
    key ??= await server.init();
    return key;
  }

  test('with all its processes is reported on both wires, uses up no attempt of a running job, and the server recovers when it resumes', async () => {
    const standIn = await OpenAiStandIn.start({ dimensions: DIMENSIONS });
    cleanups.push(() => standIn.close());
    const flags = ['--rate-limit-max', '0', '--job-lease-s', '3'];
    const [server, other] = [await serve(flags), await serve(flags)];
    const key = await rootKey(server);
    const rest = restWire(server.rest);
    cleanups.push(() => rest.close());
    const ok = async (operation: Parameters<typeof rest.call>[0], request: object) => {
      const answer = await rest.call(operation, { ...request }, { key });
      if (!answer.ok) throw new Error(`${operation} answered ${answer.code}: ${answer.message}`);
      return answer.body;
    };
    const provider = { providerType: 'OPENAI', endpointUrl: `${standIn.url}/v1`, modelIdentifier: 'stand-in' };
    const { embedderId } = await ok('createEmbedder', {
      displayName: 'Held',
      ...provider,
      dimensionality: DIMENSIONS,
    });
    const { spaceId } = await ok('createSpace', { name: 'house', spaceEmbedders: [{ embedderId }] });
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    standIn.next({ kind: 'held', until });
    const request = { spaceId, contentType: 'text/plain', originalContent: 'a text' };
    const { memoryId } = await ok('createMemory', request);
    await standIn.received(1);

    const go = stop(postgres.processes());
    const waiting = raw(server, '/v1/spaces', { key });
    for (const one of [server, other]) await expect.poll(() => readiness(one), noticed).toEqual(SILENT);
    expect(await health(server)).toBe('NOT_SERVING');
    expect((await raw(server, '/livez')).status).toBe(200);
    expect([503, 504]).toContain((await waiting).status);
    const refused = await raw(server, '/v1/spaces', { key });
    expect([refused.status, refused.error.message]).toEqual([503, 'The database does not answer at the moment']);
    const grpc = grpcWire(server.grpc);
    cleanups.push(() => grpc.close());
    expect(await grpc.call('listSpaces', {}, { key })).toMatchObject({ ok: false, code: 'UNAVAILABLE' });

    go();
    for (const one of [server, other]) await expect.poll(() => readiness(one), within).toEqual(READY);
    expect(await health(server)).toBe('SERVING');
    expect((await raw(server, '/v1/spaces', { key })).status).toBe(200);
    release();
    const look = () => ok('getMemory', { memoryId, includeProcessingHistory: true });
    const outcome = async () => {
      const { processingStatus, processingHistory } = await look();
      return [processingStatus, processingHistory.latestJob.attempts];
    };
    await expect.poll(outcome, within).toEqual(['COMPLETED', 1]);
    for (const one of [server, other]) expect(await one.end()).toBe(0);
  });

  test('in the postmaster alone does not affect calls over open connections', async () => {
    const server = await serve(['--rate-limit-max', '0']);
    const key = await rootKey(server);
    const ask = async () => (await raw(server, '/v1/spaces', { key })).status;
    expect(await ask()).toBe(200);
    // The server asks whether the database is there over a connection of its own, which it opens a moment after its start.
    await expect
      .poll(() => postgres.query(`select 1 from pg_stat_activity where query = 'select 1'`), within)
      .not.toEqual([]);
    const [postmaster] = postgres.processes();
    const go = stop([postmaster]);
    // Longer than the silence that counts.
    for (const end = Date.now() + 11_000; Date.now() < end; await sleep(100)) expect(await ask()).toBe(200);
    expect(await readiness(server)).toEqual(READY);
    go();
    expect(await ask()).toBe(200);
    expect(await server.end()).toBe(0);
  });
});
