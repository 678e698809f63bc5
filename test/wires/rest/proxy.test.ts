import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';

const running = useOwnServer([
  '--rest-max-body-mb',
  '1',
  '--provider-timeout-s',
  '1',
  '--cors-origins',
  'https://app.example.org',
  '--secrets-key',
  Buffer.alloc(32, 7).toString('base64'),
]);

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Plays any provider: records what came and answers as the test says. */
let upstream: Server;
let seen: Seen[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let target: string;
beforeAll(async () => {
  upstream = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(parts) });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  target = await create('llms', {});
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});
beforeEach(() => {
  seen = [];
  answer = (_request, response) => response.end('fine');
});

const address = () => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

/** The proxied path of a new target. */
async function create(kind: string, more: Json, key = running.rootKey): Promise<string> {
  const body = {
    displayName: unique('t'),
    providerType: 'VLLM',
    endpointUrl: `${address()}/v1`,
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

describe('the forwarded request', () => {
  test.each(['embedders', 'rerankers', 'llms'])('%s: method, path, query and body as they came', async (kind) => {
    const path = await create(kind, {});
    const body = { model: 'm', text: 'ü' };
    const posted = await call(`POST ${path}/a%20b/c?x=1&y=%2F&x=2`, { body });
    expect([posted.status, posted.text]).toEqual([200, 'fine']);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/a%20b/c?x=1&y=%2F&x=2' });
    expect(JSON.parse(seen[0]?.body.toString() ?? '')).toEqual(body);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) await call(`${method} ${path}/models`);
    expect(seen.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual(
      ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].map((method) => `${method} /v1/models`),
    );
  });

  test('bodies of any type, byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x', 'text/plain']) {
      await call(`POST ${target}/files`, { body: bytes, headers: { 'content-type': type } });
      expect(seen.at(-1)?.headers['content-type']).toBe(type);
      expect(seen.at(-1)?.body.equals(bytes)).toBe(true);
    }
  });

  test('the stored credential, without headers of this server or hop-by-hop headers', async () => {
    const credentials = {
      kind: 'CREDENTIAL_KIND_API_KEY',
      apiKey: { inlineSecret: 's3cret', headerName: 'X-Custom-Key', prefix: 'Key ' },
    };
    const path = await create('llms', { credentials });
    const headers = {
      cookie: 'a=b',
      authorization: 'Bearer mine',
      'x-custom-key': 'theirs',
      'x-service-init-token': 'token',
      'x-service-metrics-key': 'secret',
      te: 'trailers',
      'x-kept': 'yes',
    };
    const { text } = await call(`GET ${path}/models`, { headers });
    expect(text).toBe('fine');
    const got = seen[0]?.headers ?? {};
    expect(got).toMatchObject({ 'x-custom-key': 'Key s3cret', 'x-kept': 'yes', host: new URL(address()).host });
    for (const name of [
      'cookie',
      'authorization',
      'x-api-key',
      'x-service-init-token',
      'x-service-metrics-key',
      'te',
    ]) {
      expect(got).not.toHaveProperty(name);
    }
    expect(JSON.stringify(got)).not.toContain(running.rootKey);
  });
});

describe('the response', () => {
  test('status, headers and bytes, without cookies and headers of this server', async () => {
    answer = (_request, response) => {
      response.writeHead(207, {
        'content-type': 'text/html',
        'set-cookie': ['a=1', 'b=2'],
        'x-model': 'm',
        'access-control-allow-origin': '*',
        'x-ratelimit-limit': '5',
        'strict-transport-security': 'max-age=1',
        connection: 'x-hop',
        'x-hop': '1',
      });
      response.end('<script>');
    };
    const { status, headers, text } = await call(`GET ${target}/x`);
    expect([status, text, headers.get('x-model')]).toEqual([207, '<script>', 'm']);
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const name of [
      'set-cookie',
      'access-control-allow-origin',
      'x-ratelimit-limit',
      'strict-transport-security',
      'x-hop',
    ]) {
      expect(headers.get(name)).toBeNull();
    }
  });

  test('an unassigned status', async () => {
    answer = (_request, response) => response.writeHead(999, { vary: 'Accept' }).end('denied');
    expect(await callAsWritten(`${target}/x`)).toEqual({ status: 999, body: 'denied' });
  });

  test('Vary of the provider and of this server', async () => {
    answer = (_request, response) => response.writeHead(200, { vary: 'Accept' }).end();
    expect((await call(`GET ${target}/x`)).headers.get('vary')).toBe('Origin, Accept');
  });

  test('redirects are passed on', async () => {
    answer = (_request, response) => response.writeHead(302, { location: 'https://example.org/' }).end();
    const response = await fetch(`${running.server.rest}${target}/x`, {
      headers: { 'x-api-key': running.rootKey },
      redirect: 'manual',
    });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.org/']);
  });

  test('streamed; a client abort cancels the call to the provider', async () => {
    let gone: Promise<void> | undefined;
    answer = (_request, response) => {
      gone = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    };
    const leaving = new AbortController();
    const response = await fetch(`${running.server.rest}${target}/stream`, {
      headers: { 'x-api-key': running.rootKey },
      signal: leaving.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: 1\n\n');
    leaving.abort();
    await gone;
  });

  test('uses no connection of the other calls to the same provider', async () => {
    let allRun = () => {};
    const allRunning = new Promise<void>((resolve) => {
      allRun = resolve;
    });
    answer = ({ url }, response) => {
      if (url?.endsWith('/endless') !== true) {
        response.end('{}');
        return;
      }
      const more = setInterval(() => response.write('more'), 100);
      response.once('close', () => clearInterval(more));
      if (seen.length === 16) allRun();
    };
    const leaving = new AbortController();
    const held = Array.from({ length: 16 }, () => call(`GET ${target}/endless`, { signal: leaving.signal }));
    await allRunning;
    const targetId = target.split('/').at(-1);
    const { json } = await call('POST /v1/ping:once', { body: { targetId, timeoutMs: 2000 } });
    expect(json.httpStatus, JSON.stringify(json)).toBe(200);
    leaving.abort();
    await Promise.allSettled(held);
  });

  test('a response that breaks off or stalls is truncated', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    };
    await expect(call(`GET ${target}/x`)).rejects.toThrow();
    answer = (_request, response) => {
      response.writeHead(200);
      response.write('half');
    };
    await expect(call(`GET ${target}/x`)).rejects.toThrow();
  });
});

describe('refused here, without a call to the provider', () => {
  test.each(['..', '.', 'a/../../b', '%2e%2e/b', 'a/%2E%2E', 'a/..%2fb', 'a\\..\\b', '%252e%252e/x', '..;/x', 'a/..'])(
    'the path %s',
    async (path) => {
      const { status, body } = await callAsWritten(`${target}/${path}`);
      expect([status, JSON.parse(body).error.code]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(seen).toEqual([]);
    },
  );

  test('broken percent-encoding', async () => {
    expect((await callAsWritten(`${target}/%zz`)).status).toBe(400);
    expect(seen).toEqual([]);
  });

  test('dots within segments pass', async () => {
    const { status } = await callAsWritten(`${target}/...a/b..c/.d?e=../f`);
    expect([status, seen[0]?.url]).toEqual([200, '/v1/...a/b..c/.d?e=../f']);
  });

  test('malformed ids and kinds', async () => {
    const id = target.split('/').at(-1) ?? '';
    const ghost = '01980000-0000-7000-8000-0000000000f9';
    for (const [path, status, code] of [
      ['/v1/proxy/llms/x/y', 400, 'INVALID_ARGUMENT'],
      [`/v1/proxy/llms/${ghost}/y`, 404, 'NOT_FOUND'],
      [`/v1/proxy/rerankers/${id}/y`, 404, 'NOT_FOUND'],
      [`/v1/proxy/spaces/${id}/y`, 404, 'NOT_FOUND'],
      [`/v1/proxy/constructor/${id}/y`, 404, 'NOT_FOUND'],
    ] as const) {
      const answered = await call(path);
      expect([answered.status, answered.error.code], path).toEqual([status, code]);
    }
    const details = 'the path must name one of embedders, rerankers, llms';
    expect((await call(`/v1/proxy/spaces/${id}/y`)).error).toMatchObject({ details });
    expect((await raw(running.server, `${target}/x`)).status).toBe(401);
    expect(seen).toEqual([]);
  });

  test('targets that run in this server', async () => {
    const builtin = {
      providerType: 'BUILTIN',
      endpointUrl: undefined,
      modelIdentifier: 'lexical-v1',
      dimensionality: 24,
    };
    const path = await create('embedders', builtin);
    expect((await call(`POST ${path}/embed`, { body: {} })).error.code).toBe('FAILED_PRECONDITION');
  });

  test('a shared target without the permission to call it, and any with a restricted key', async () => {
    const user = await call('POST /v1/users', { body: { email: `${unique('u')}@example.org`, displayName: 'u' } });
    const keyOf = async (body: Json) => (await call('POST /v1/apikeys', { body })).json.rawApiKey as string;
    const key = await keyOf({ userId: user.json.userId });
    expect((await call(target.replace('proxy/', ''), { key })).status).toBe(200);
    expect((await call(`${target}/x`, { key })).error.code).toBe('PERMISSION_DENIED');
    expect((await call(`${target}/x`, { key: await keyOf({ restrictions: { readOnly: true } }) })).status).toBe(403);
    const own = await create('llms', {}, key);
    expect(seen).toEqual([]);
    expect((await call(`${own}/x`, { key })).status).toBe(200);
  });

  test('a client that sends its whole body first gets the refusal then', async () => {
    const { hostname, port } = new URL(running.server.rest);
    const socket = connect(Number(port), hostname).pause();
    const head = `POST ${target}/x HTTP/1.1\r\nHost: x\r\nx-api-key: ${running.rootKey}\r\n`;
    socket.write(`${head}content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    await new Promise((resolve) => socket.write(`${chunk.repeat(128)}0\r\n\r\n`, resolve));
    const [answer] = await once(socket.resume(), 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('a body beyond the limit, with and without its length', async () => {
    const large = Buffer.alloc(1_100_000);
    const told = await call(`POST ${target}/x`, { body: large, headers: { 'content-type': 'text/plain' } });
    expect([told.status, told.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const untold = await call(`POST ${target}/x`, {
      body: new Blob([large]).stream(),
      headers: { 'content-type': 'text/plain' },
    });
    expect([untold.status, untold.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(seen).toEqual([]);
  });
});

describe('unreachable providers', () => {
  test('no connection is UNAVAILABLE', async () => {
    const path = await create('llms', { endpointUrl: 'http://127.0.0.1:1/v1' });
    const { status, error } = await call(`GET ${path}/x`);
    expect([status, error.code]).toEqual([503, 'UNAVAILABLE']);
  });

  test('a time-out of the first byte, and a connection that breaks before it, are DEADLINE_EXCEEDED', async () => {
    for (const silent of [() => {}, (request: IncomingMessage) => request.socket.destroy()]) {
      answer = silent;
      const { status, error } = await call(`POST ${target}/x`, { body: {} });
      expect([status, error.code]).toEqual([504, 'DEADLINE_EXCEEDED']);
    }
  });

  test('an unusable credential is FAILED_PRECONDITION, and reveals no secret', async () => {
    const secretRef = { uri: 'env://SVC_TEST_NO_SUCH_VARIABLE' };
    const credentials = { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef } };
    const path = await create('llms', { credentials });
    const { status, error } = await call(`GET ${path}/x`);
    expect([status, error.code]).toEqual([412, 'FAILED_PRECONDITION']);
    expect(seen).toEqual([]);
  });
});
