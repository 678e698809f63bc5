import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../../src/server/settings/database-url.ts';
import { FatalDatabaseError } from '../../../../src/server/store/errors.ts';
import { type ConnectAttempt, connectWithRetry, openDatabase } from '../../../../src/server/store/open.ts';

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

describe('a server that refuses the connection', () => {
  test.each([
    ['28P01', 'The database refused the password of the user ada.'],
    ['28000', 'The database does not allow the user ada to connect.'],
    ['3D000', 'The database memories does not exist.'],
  ])('%s is fatal', async (code, sentence) => {
    const port = await refusing(code, 'go away');
    const work = connectWithRetry({ target: at(port) });
    await expect(work).rejects.toThrow(FatalDatabaseError);
    await expect(work).rejects.toThrow(sentence);
    await expect(work).rejects.toMatchObject({ remedy: expect.stringMatching(/\S/) });
  });

  test.each(['57P03', '53300'])('%s is waited for, with a log line at every attempt', async (code) => {
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

  test('one that never answers times out after connectTimeout', async () => {
    const port = await listen(() => undefined);
    const work = openDatabase({ target: at(port, '&connectTimeout=1') });
    await expect(work).rejects.toThrow('The connection to the database timed out after 1 s.');
  });

  test('one that stops answering after the login is left at an abort', async () => {
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

  test('an unreadable root certificate is named', async () => {
    const target = parseDatabaseUrl('postgresql://u@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/no/such.pem');
    await expect(openDatabase({ target })).rejects.toThrow(/sslrootcert .* \/no\/such\.pem/);
  });
});
