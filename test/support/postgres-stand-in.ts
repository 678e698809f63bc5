import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A listener on loopback that speaks for a database which the real one cannot be made to be. */
interface StandIn {
  port: number;
  close(): Promise<void>;
}

/** Refuses every connection with one error of PostgreSQL's protocol. */
export function refusing(code: string, message: string): Promise<StandIn> {
  const answer = frame('E', `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  return listen((socket) => socket.once('data', () => socket.end(answer)));
}

/** Lets everybody in and answers every simple query with this one row. */
export function answering(row: Readonly<Record<string, string | null>>): Promise<StandIn> {
  const ready = frame('Z', 'I');
  const result = Buffer.concat([
    rowDescription(Object.keys(row)),
    dataRow(Object.values(row)),
    frame('C', 'SELECT 1\0'),
  ]);
  return listen((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([frame('R', Buffer.alloc(4)), ready]));
      socket.on('data', (bytes) => {
        if (bytes[0] === 'Q'.charCodeAt(0)) socket.write(Buffer.concat([result, ready]));
      });
    });
  });
}

/** A stand-in that can fall silent with every connection open, as a frozen process does, and go on again. */
interface Forwarding extends StandIn {
  freeze(): void;
  thaw(): void;
}

/** Passes everything on to a real server; so a database can come, go and freeze. `port` 0 takes any. */
export async function forwarding(target: { host: string; port: number }, port = 0): Promise<Forwarding> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
  const run = ([socket, upstream]: readonly [Socket, Socket]) => socket.pipe(upstream).pipe(socket);
  const standIn = await listen((socket) => {
    const upstream = connect(target.port, target.host);
    const pair = [socket, upstream] as const;
    pairs.add(pair);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => {
      pairs.delete(pair);
      upstream.destroy();
    });
    upstream.on('close', () => socket.destroy());
    if (!frozen) run(pair);
  }, port);
  return {
    ...standIn,
    freeze() {
      frozen = true;
      for (const [socket, upstream] of pairs) {
        socket.unpipe(upstream).pause();
        upstream.unpipe(socket).pause();
      }
    },
    thaw() {
      frozen = false;
      for (const pair of pairs) run(pair);
    },
  };
}

async function listen(onConnection: (socket: Socket) => void, port = 0): Promise<StandIn> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function frame(type: string, body: string | Buffer): Buffer {
  const content = Buffer.from(body as string);
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
}

const TEXT_OID = 25;

function rowDescription(names: readonly string[]): Buffer {
  const fields = names.map((name) => {
    const rest = Buffer.alloc(18);
    rest.writeInt32BE(TEXT_OID, 6);
    rest.writeInt16BE(-1, 10);
    rest.writeInt32BE(-1, 12);
    return Buffer.concat([Buffer.from(`${name}\0`), rest]);
  });
  return frame('T', Buffer.concat([int16(names.length), ...fields]));
}

function dataRow(values: readonly (string | null)[]): Buffer {
  const cells = values.map((value) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value ?? '')]);
  });
  return frame('D', Buffer.concat([int16(values.length), ...cells]));
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
