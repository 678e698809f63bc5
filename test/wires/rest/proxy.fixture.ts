import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Plays any provider: records what came and answers as the test says. */
class AnyProvider {
  seen: Seen[] = [];
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  /** The proxied path of an LLM of root's at this provider. */
  target = '';
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      this.seen.push({ method, url, headers, body: Buffer.concat(parts) });
      this.answer(request, response);
    });
  });

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

/** A server with these flags and a provider behind its proxy, which starts each test with nothing seen and a plain answer. */
export function useProxy(flags: readonly string[]) {
  const running = useOwnServer(flags);
  const provider = new AnyProvider();
  beforeAll(async () => {
    await provider.listen();
    provider.target = await create('llms', {});
  });
  afterAll(() => provider.close());
  beforeEach(() => {
    provider.seen = [];
    provider.answer = (_request, response) => response.end('fine');
  });

  /** The proxied path of a new target. */
  async function create(kind: string, more: Json, key = running.rootKey): Promise<string> {
    const body = {
      displayName: unique('t'),
      providerType: 'VLLM',
      endpointUrl: `${provider.address()}/v1`,
      modelIdentifier: unique('m'),
      ...(kind === 'embedders' ? { dimensionality: 3 } : {}),
      ...more,
    };
    const { json, status, text } = await raw(running.server, `POST /v1/${kind}`, { key, body });
    expect(status, text).toBe(201);
    const record = json.llm ?? json;
    return `/v1/proxy/${kind}/${record.llmId ?? record.rerankerId ?? record.embedderId}`;
  }

  const call = (request: string, more: Parameters<typeof raw>[2] = {}) =>
    raw(running.server, request, { key: running.rootKey, ...more });

  /** A request whose path goes out as it is written. */
  function callAsWritten(path: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(running.server.rest);
      const headers = { 'x-api-key': running.rootKey };
      const request = send({ hostname, port, path, headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      request.on('error', reject).end();
    });
  }

  return { running, provider, create, call, callAsWritten };
}
