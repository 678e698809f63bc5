import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { ServerCredentials } from '@grpc/grpc-js';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

export interface Certificate {
  private: string;
  cert: string;
}

interface CertificateOptions {
  /** Days from now; of 30 days that began yesterday when left out. */
  days?: [from: number, to: number];
  ca?: Certificate;
  isCa?: boolean;
}

/** Self-signed when there is no authority. */
export async function certificate(names: readonly string[], options: CertificateOptions = {}): Promise<Certificate> {
  const { days: [from, to] = [-1, 30], ca, isCa = false } = options;
  const altNames = names.map((name) =>
    /^[\d.]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
  );
  return generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: isCa, critical: true },
      ...(isCa ? [{ name: 'keyUsage', keyCertSign: true, critical: true } as const] : []),
      { name: 'subjectAltName', altNames },
    ],
    ...(ca === undefined ? {} : { ca: { key: ca.private, cert: ca.cert } }),
  });
}

export function tlsCredentials({ private: key, cert }: Certificate): ServerCredentials {
  return ServerCredentials.createSsl(null, [{ private_key: Buffer.from(key), cert_chain: Buffer.from(cert) }]);
}

/** As `openssl x509 -fingerprint -sha256` writes it. */
export function fingerprint({ cert }: Certificate): string {
  return new X509Certificate(cert).fingerprint256;
}

/** One address behind which the server can be another one for every connection. */
export interface Door {
  port: number;
  /** The first connection from now on goes to the first port, the next to the next; the last one stays. */
  leadTo(...ports: readonly number[]): void;
  /** What clients have sent, a buffer for each connection. */
  sent(): Buffer[];
  close(): void;
}

export async function openDoor(...ports: readonly number[]): Promise<Door> {
  let targets = [...ports];
  const received: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const [port] = targets.length > 1 ? targets.splice(0, 1) : targets;
    const chunks: Buffer[] = [];
    received.push(chunks);
    client.on('data', (chunk) => chunks.push(chunk));
    const behind = connect({ port: port ?? 0, host: '127.0.0.1' });
    for (const socket of [client, behind]) sockets.add(socket.on('error', () => {}));
    client.pipe(behind).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    leadTo: (...next) => {
      targets = [...next];
    },
    sent: () => received.map((chunks) => Buffer.concat(chunks)),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
