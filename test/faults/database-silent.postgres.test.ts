import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { forwarding } from '../support/postgres-stand-in.ts';
import { raw } from '../support/raw-rest.ts';
import { runSvc, startServer, type TestServer } from '../support/server.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server whose database can fall silent behind its back. */
async function behindDoor() {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const url = new URL(database.url ?? '');
  const door = await forwarding({ host: url.hostname, port: Number(url.port) });
  cleanups.push(() => door.close());
  url.host = `127.0.0.1:${door.port}`;
  url.searchParams.set('sslmode', 'disable');
  const server = await startServer({ databaseFlags: ['--db-url', url.href, ...database.serverFlags.slice(2)] });
  cleanups.push(() => server.end('SIGKILL'));
  return { door, server };
}

const readiness = async (server: TestServer) => {
  const { status, json } = await raw(server, '/readyz');
  return { status, ...json };
};
const health = async (server: TestServer) =>
  JSON.parse((await runSvc(['health', '--server', server.grpc, '-o', 'json'])).stdout).status;
const within = { timeout: 60_000, interval: 100 };
const READY = { state: 'READY', started: true };

// The embedded engine is a thread of the server's own process: it has nobody who could stop answering.
describe('a database that stops answering', () => {
  test('is reported on both wires, calls are refused meanwhile, and the server recovers when it answers again', async () => {
    const { door, server } = await behindDoor();
    const key = await server.init();
    expect(await readiness(server)).toEqual({ status: 200, ...READY });

    door.freeze();
    const waiting = raw(server, '/v1/spaces', { key });
    await expect.poll(() => readiness(server), within).toEqual({ status: 503, ...READY, database: 'NOT_ANSWERING' });
    expect((await raw(server, '/livez')).status).toBe(200);
    expect((await raw(server, '/startupz')).status).toBe(200);
    expect(await health(server)).toBe('NOT_SERVING');
    const { status, error } = await waiting;
    expect([503, 504]).toContain(status);
    expect(error.message).toMatch(/database/);
    // Whoever comes now is told at once and not after a time-out of his own.
    const refused = await raw(server, '/v1/spaces', { key });
    expect([refused.status, refused.error]).toEqual([
      503,
      { code: 'UNAVAILABLE', message: 'The database does not answer at the moment', details: '' },
    ]);
    const grpc = grpcWire(server.grpc);
    cleanups.push(() => grpc.close());
    expect(await grpc.call('listSpaces', {}, { key })).toMatchObject({ ok: false, code: 'UNAVAILABLE' });

    door.thaw();
    await expect.poll(() => readiness(server), within).toEqual({ status: 200, ...READY });
    expect((await raw(server, '/v1/spaces', { key })).status).toBe(200);
    expect(await health(server)).toBe('SERVING');
    expect(await server.end()).toBe(0);
  });
});

/** Longer than a database may say nothing, and than a try may take. */
const STANDSTILL_MS = 11_000;

test('a server that was suspended does not report the database as silent', async () => {
  const { server } = await behindDoor();
  const key = await server.init();
  // Twice, as it may be stopped while it waits for an answer and while it does not.
  for (const _ of [1, 2]) {
    server.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STANDSTILL_MS));
    server.process.kill('SIGCONT');
    expect(await readiness(server)).toEqual({ status: 200, ...READY });
    expect((await raw(server, '/v1/spaces', { key })).status).toBe(200);
  }
  expect(server.logs.filter((entry) => JSON.stringify(entry).includes('the database has not answered'))).toEqual([]);
  expect(await server.end()).toBe(0);
});
