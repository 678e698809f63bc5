import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where inference targets point to: something that answers, whatever it is asked. */
export interface Upstream {
  /** An address that no other target has. */
  newUrl(): string;
  /** How many requests have come so far. */
  requests(): number;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    newUrl: () => `http://127.0.0.1:${port}/${randomUUID()}`,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
