import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Behavior } from './behavior.ts';

interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The parsed JSON body. */
  body: Record<string, unknown>;
}

export interface StandInAnswer {
  status: number;
  /** Sent as JSON. */
  body: unknown;
  /** Sent instead of the body, one after the other, as a stream of events. */
  events?: readonly string[];
}

/** What a provider's wire format looks like to its stand-in. */
export interface StandInForm {
  path: string;
  /** The answer to a body: 200 with an object, or a status with the provider's own error body. */
  answer(body: Record<string, unknown>, twist: Behavior | undefined): StandInAnswer;
  /** The provider's own body of an error; default: an empty one. */
  error?(status: number): unknown;
}

/** A loopback HTTP server that plays a provider. It answers properly unless told otherwise, and records what it got. */
export class ProviderStandIn {
  readonly requests: RecordedRequest[] = [];
  /** Sockets accepted so far. */
  connections = 0;
  maxInFlight = 0;
  /** Connections that the other side closed before its answer had ended. */
  abandoned = 0;
  /** When set, requests whose header has another value get 401. */
  requiredHeader: { name: string; value: string } | undefined;
  #inFlight = 0;
  #always: Behavior | undefined;
  readonly #next: Behavior[] = [];
  #arrivals: (() => void)[] = [];
  readonly #server: Server;
  readonly #form: StandInForm;

  protected constructor(form: StandInForm) {
    this.#form = form;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', () => this.connections++);
  }

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next requests, one behavior each; later ones are answered properly again. */
  next(...behaviors: Behavior[]): void {
    this.#next.push(...behaviors);
  }

  /** Every request that `next` says nothing about; undefined for proper answers. */
  always(behavior: Behavior | undefined): void {
    this.#always = behavior;
  }

  /** Resolves when `count` requests have arrived in all. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) await this.#something();
  }

  /** Resolves when `count` connections in all were closed by the other side before their answer had ended. */
  async left(count: number): Promise<void> {
    while (this.abandoned < count) await this.#something();
  }

  #something(): Promise<void> {
    return new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  #tell(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const arrived of arrivals) arrived();
  }

  /** Breaks every connection and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight);
    response.once('close', () => {
      this.#inFlight--;
      if (response.writableFinished) return;
      this.abandoned++;
      this.#tell();
    });
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const body = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}') as Record<string, unknown>;
    this.requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const behavior = this.#next.shift() ?? this.#always;
    this.#tell();
    this.#answer(request, response, body, behavior);
  }

  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: Record<string, unknown>,
    behavior: Behavior | undefined,
  ): void {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      send(response, refusal.status, refusal.text);
      return;
    }
    switch (behavior?.kind) {
      case 'hang':
        break;
      case 'trickle':
        trickle(response);
        break;
      case 'drop':
        request.socket.destroy();
        break;
      case 'text':
        send(response, 200, behavior.body, { 'content-type': behavior.contentType ?? 'application/json' });
        break;
      case 'status':
        send(response, behavior.status, behavior.body ?? this.#error(behavior.status), behavior.headers);
        break;
      default: {
        const { status, body: answer, events } = this.#form.answer(body, behavior);
        if (events === undefined) deliver(response, status, JSON.stringify(answer), behavior);
        else void deliverEvents(response, events, behavior);
      }
    }
  }

  #error(status: number): string {
    const body = this.#form.error?.(status);
    return body === undefined ? '' : JSON.stringify(body);
  }

  #refusal(request: IncomingMessage): { status: number; text: string } | undefined {
    const required = this.requiredHeader;
    if (required !== undefined && request.headers[required.name.toLowerCase()] !== required.value) {
      return { status: 401, text: JSON.stringify({ error: { message: 'Incorrect API key provided' } }) };
    }
    return request.url === this.#form.path ? undefined : { status: 404, text: '{"detail":"Not Found"}' };
  }
}

function deliver(response: ServerResponse, status: number, text: string, behavior: Behavior | undefined): void {
  if (behavior?.kind === 'stall' || behavior?.kind === 'truncate') {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => {
      if (behavior.kind === 'truncate') response.socket?.destroySoon();
    });
  } else if (behavior?.kind === 'slow') {
    const timer = setTimeout(() => send(response, status, text), behavior.ms);
    response.once('close', () => clearTimeout(timer));
  } else if (behavior?.kind === 'held') {
    void behavior.until.then(() => send(response, status, text));
  } else {
    send(response, status, text);
  }
}

/** One write an event, half of them before a stall or a break. */
async function deliverEvents(
  response: ServerResponse,
  events: readonly string[],
  behavior: Behavior | undefined,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const cut = behavior?.kind === 'stall' || behavior?.kind === 'truncate';
  const half = Math.floor(events.length / 2);
  for (const [at, event] of (cut ? events.slice(0, half) : events).entries()) {
    if (behavior?.kind === 'pause' && at === half) await behavior.until;
    await new Promise<void>((resolve) => response.write(event, () => resolve()));
  }
  if (behavior?.kind === 'truncate') response.socket?.destroySoon();
  else if (!cut) response.end();
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => response.write(': still here\n\n'), 2);
  response.once('close', () => clearInterval(timer));
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
