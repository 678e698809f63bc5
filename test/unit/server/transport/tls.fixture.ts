import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, vi } from 'vitest';
import type { TlsMaterial } from '../../../../src/server/transport/tls.ts';

const FEW = 3;

/** Gives the certificates that a file makes the same few keys in turn: to make an RSA key takes a quarter of a second. */
export function useFewKeys(): void {
  type GenerateKey = () => Promise<webcrypto.CryptoKeyPair>;
  const keys: Promise<webcrypto.CryptoKeyPair>[] = [];
  let asked = 0;
  beforeAll(() => {
    const { subtle } = webcrypto as unknown as { subtle: { generateKey: GenerateKey } };
    const generate = subtle.generateKey.bind(subtle);
    vi.spyOn(subtle, 'generateKey').mockImplementation((...algorithm) => {
      const next = asked % FEW;
      asked += 1;
      keys[next] ??= generate(...algorithm);
      return keys[next];
    });
  });
  afterAll(() => void vi.restoreAllMocks());
}

/** Shakes hands with a server made of the material; resolves with what the client saw, rejects when it was refused. */
export async function handshake(material: TlsMaterial, options: ConnectionOptions) {
  const server = createServer({ ...material }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let client: TLSSocket | undefined;
  try {
    client = connect({ host: '127.0.0.1', port, ...options });
    await once(client, 'secureConnect');
    return { protocol: client.getProtocol(), fingerprint: client.getPeerCertificate().fingerprint256 };
  } finally {
    client?.destroy();
    server.close();
    await once(server, 'close');
  }
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
