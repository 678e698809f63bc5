import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { restWire } from '../support/rest-wire.ts';
import { startServer } from '../support/server.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

// Somebody else has to be able to damage the database while the server runs.
describe('an unexpected database error', () => {
  test('is 500 INTERNAL on both wires, with its cause in the log alone', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const server = await startServer({ databaseFlags: database.serverFlags });
    cleanups.push(() => server.end('SIGKILL'));
    const key = await server.init();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query('alter table llm rename to somewhere_else');
    await admin.end();
    const wires = [restWire(server.rest), grpcWire(server.grpc)];
    for (const wire of wires) cleanups.push(() => wire.close());
    for (const wire of wires) {
      const answer = await wire.call('listLLMs', {}, { key });
      expect(answer).toMatchObject({ ok: false, code: 'INTERNAL', events: [] });
      expect(JSON.stringify(answer)).not.toMatch(/llm|relation|exist|select|42P01/i);
    }
    const headers = { 'x-api-key': key, 'x-request-id': 'the-id-of-this-request' };
    const told = await fetch(`${server.rest}/v1/llms`, { headers });
    expect([told.status, await told.json()]).toEqual([
      500,
      { error: { code: 'INTERNAL', message: expect.any(String), details: 'the-id-of-this-request' } },
    ]);
    const reasons = () =>
      server.logs
        .map((entry) => JSON.stringify(entry))
        .filter((line) => /"error".*relation \\"llm\\" does not exist/.test(line));
    await expect.poll(() => reasons().length).toBe(3);
  });
});
