import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface GoogleRequest {
  /** Path and query. */
  path: string;
  headers: IncomingMessage['headers'];
  form: Record<string, string>;
}

/** What the token server does instead of giving a token. */
type GoogleBehavior = { kind: 'hang' } | { kind: 'status'; status: number; body?: unknown };

/** Google's token server and its metadata server, on loopback. Each token is new: `token-1`, `token-2`, … */
export class GoogleStandIn {
  readonly requests: GoogleRequest[] = [];
  behavior: GoogleBehavior | undefined;
  /** Seconds that a token is good for. */
  expiresIn = 3600;
  #tokens = 0;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<GoogleStandIn> {
    const standIn = new GoogleStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  /** `127.0.0.1:<port>` */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get tokenUri(): string {
    return `http://${this.host}/token`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString('utf8')));
    const path = request.url ?? '';
    this.requests.push({ path, headers: request.headers, form });
    if (this.behavior?.kind === 'hang') return;
    if (path === '/computeMetadata/v1/instance') return send(response, 200, {});
    if (this.behavior?.kind === 'status') return send(response, this.behavior.status, this.behavior.body ?? {});
    const gives = path === '/token' || path.startsWith('/computeMetadata/v1/instance/service-accounts/default/token');
    if (!gives) return send(response, 404, {});
    send(response, 200, {
      access_token: `token-${++this.#tokens}`,
      expires_in: this.expiresIn,
      token_type: 'Bearer',
    });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'metadata-flavor': 'Google' });
  response.end(JSON.stringify(body));
}
