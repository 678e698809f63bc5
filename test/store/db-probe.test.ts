import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { FatalDatabaseError } from '../../src/server/store/errors.ts';
import { type ConnectAttempt, connectWithRetry, openDatabase } from '../../src/server/store/open.ts';
import { parseDatabaseUrl } from '../../src/server/store/url.ts';
import { createTestDatabase, testDatabaseKind } from '../support/database.ts';

const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** A server that answers every connection with one error of PostgreSQL's protocol. */
async function refusing(code: string, sentence: string): Promise<number> {
  const answer = message('E', `SFATAL\0VFATAL\0C${code}\0M${sentence}\0\0`);
  return listen((socket) => socket.once('data', () => socket.end(answer)));
}

async function listen(onConnection: (socket: Socket) => void, port = 0): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const message = (type: string, body: string) => {
  const buffer = Buffer.alloc(5 + body.length);
  buffer.write(type, 0);
  buffer.writeInt32BE(4 + body.length, 1);
  buffer.write(body, 5, 'latin1');
  return buffer;
};
const AUTHENTICATED = message('R', '\0\0\0\0');
const COMPLETED = message('C', 'SET\0');
const READY = message('Z', 'I');

const at = (port: number, rest = '') =>
  parseDatabaseUrl(`postgresql://ada:secret@127.0.0.1:${port}/memories?sslmode=disable${rest}`);

describe('a server that says no', () => {
  test.each([
    ['28P01', 'The database refused the password of the user ada.'],
    ['28000', 'The database does not let the user ada in.'],
    ['3D000', 'The database memories does not exist.'],
  ])('%s is fatal', async (code, sentence) => {
    const port = await refusing(code, 'go away');
    const work = connectWithRetry({ target: at(port) });
    await expect(work).rejects.toThrow(FatalDatabaseError);
    await expect(work).rejects.toThrow(sentence);
    await expect(work).rejects.toMatchObject({ remedy: expect.stringMatching(/\S/) });
  });

  test.each(['57P03', '53300'])('%s is waited for, and told at every try', async (code) => {
    const port = await refusing(code, 'not now');
    const controller = new AbortController();
    const attempts: ConnectAttempt[] = [];
    const onAttempt = (attempt: ConnectAttempt) => {
      attempts.push(attempt);
      if (attempt.number === 3) controller.abort();
    };
    const work = connectWithRetry({ target: at(port), signal: controller.signal, onAttempt });
    await expect(work).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(attempts.map(({ number, delayMs }) => [number, delayMs])).toEqual([
      [1, 250],
      [2, 500],
      [3, 1000],
    ]);
    expect(attempts[0]?.error.message).toBe('not now');
  });

  test('one that never answers is given up after connectTimeout', async () => {
    const port = await listen(() => undefined);
    const work = openDatabase({ target: at(port, '&connectTimeout=1') });
    await expect(work).rejects.toThrow('The database gave no connection within 1 s.');
  });

  test('one that falls silent after letting us in is left when the signal says so', async () => {
    const controller = new AbortController();
    let packets = 0;
    const port = await listen((socket) => {
      socket.on('data', () => {
        packets += 1;
        // The start-up packet and the settings of a session are answered, the first look at the server is not.
        if (packets === 1) socket.write(Buffer.concat([AUTHENTICATED, READY]));
        else if (packets === 2) socket.write(Buffer.concat([COMPLETED, COMPLETED, READY]));
        else controller.abort();
      });
    });
    const work = openDatabase({ target: at(port), signal: controller.signal });
    await expect(work).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(packets).toBe(3);
  });

  test('one without TLS is refused where sslmode demands it', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.write('N')));
    const target = parseDatabaseUrl(`postgresql://u@127.0.0.1:${port}/d?sslmode=require`);
    await expect(openDatabase({ target })).rejects.toThrow(/does not offer TLS/);
  });

  test('a root certificate that cannot be read is named', async () => {
    const target = parseDatabaseUrl('postgresql://u@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/no/such.pem');
    await expect(openDatabase({ target })).rejects.toThrow(/sslrootcert .* \/no\/such\.pem/);
  });
});

describe('a server that can be used', () => {
  test('is described', async () => {
    const database = await createTestDatabase({ migrated: false });
    const db = await database.connect();
    const embedded = database.kind === 'embedded';
    expect(db.server.version).toMatch(/^17\.\d+$/);
    expect(db.server.vectorVersion).toMatch(/^0\.[89]\.\d+$/);
    expect(db.capabilities).toMatchObject({ embedded, sessions: embedded ? 'one' : 'many', cancel: !embedded });
    expect(db.warnings.length).toBe(embedded || db.capabilities.parallelIndexBuild ? 0 : 1);
    await database.drop();
  });
});

if (testDatabaseKind() === 'postgres') {
  describe('rights', async () => {
    const suffix = randomUUID().slice(0, 8);
    const role = `svc_poor_${suffix}`;
    const database = await createTestDatabase({ migrated: false });
    const url = new URL(database.serverFlags[1] ?? '');
    // The vector extension is installed by the first connection with the rights to; these tests need it missing.
    const admin = await openDatabase({ target: { ...parseDatabaseUrl(url.href), database: 'postgres' } });
    await admin.main.script(`create role ${role} login`);

    const asRole = (rest = '', user = role) => {
      const target = parseDatabaseUrl(`${url.href}?sslmode=disable${rest}`, { user });
      return openDatabase({ target });
    };
    afterAll(async () => {
      await database.drop();
      await admin.main.script(`drop role ${role}`);
      await admin.close();
    });

    test('no right to create tables', async () => {
      await expect(asRole()).rejects.toThrow(`The role ${role} may not create tables in the schema public`);
    });

    test('no right to create the extension', async () => {
      const own = `svc_own_${suffix}`;
      await admin.main.script(`create database ${own} owner ${role}`);
      const target = { ...parseDatabaseUrl(url.href, { user: role }), database: own };
      const work = openDatabase({ target });
      await expect(work).rejects.toThrow(FatalDatabaseError);
      await expect(work).rejects.toThrow(`The role ${role} may not create the vector extension`);
      await admin.main.script(`drop database ${own}`);
    });

    test('a schema that does not exist, and one that hides the extension', async () => {
      await expect(asRole('&currentSchema=nowhere', 'postgres')).rejects.toThrow(/No schema of the search path exists/);
      const db = await asRole('', 'postgres');
      await db.main.script('create schema tenant');
      await expect(asRole('&currentSchema=tenant', 'postgres')).rejects.toThrow(/outside the search path/);
      const tenant = await asRole('&currentSchema=tenant,public', 'postgres');
      const [row] = await tenant.main.query({ name: 'test_schema', text: 'select current_schema() as schema' });
      expect(row).toEqual({ schema: 'tenant' });
      await Promise.all([db.close(), tenant.close()]);
    });

    test('many servers that find the extension missing create it once', async () => {
      const fresh = await createTestDatabase({ migrated: false });
      const all = await Promise.all(Array.from({ length: 8 }, () => fresh.connect()));
      expect(new Set(all.map(({ server }) => server.vectorVersion)).size).toBe(1);
      await fresh.drop();
    });

    test('an unknown role and an unknown database', async () => {
      await expect(asRole('', `nobody_${suffix}`)).rejects.toThrow(/does not let the user nobody/);
      const target = { ...parseDatabaseUrl(url.href), database: 'no_such_database' };
      await expect(openDatabase({ target })).rejects.toThrow('The database no_such_database does not exist.');
    });
  });
}
