import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { useProxy } from './proxy.fixture.ts';

const { running, provider, create, call, callAsWritten } = useProxy([
  '--provider-timeout-s',
  '1',
  '--cors-origins',
  'https://app.example.org',
  '--secrets-key',
  Buffer.alloc(32, 7).toString('base64'),
]);

describe('the forwarded request', () => {
  test.each(['embedders', 'rerankers', 'llms'])('%s: method, path, query and body as they came', async (kind) => {
    const path = await create(kind, {});
    const body = { model: 'm', text: 'ü' };
    const posted = await call(`POST ${path}/a%20b/c?x=1&y=%2F&x=2`, { body });
    expect([posted.status, posted.text]).toEqual([200, 'fine']);
    expect(provider.seen[0]).toMatchObject({ method: 'POST', url: '/v1/a%20b/c?x=1&y=%2F&x=2' });
    expect(JSON.parse(provider.seen[0]?.body.toString() ?? '')).toEqual(body);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) await call(`${method} ${path}/models`);
    expect(provider.seen.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual(
      ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].map((method) => `${method} /v1/models`),
    );
  });

  test('bodies of any type, byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x', 'text/plain']) {
      await call(`POST ${provider.target}/files`, { body: bytes, headers: { 'content-type': type } });
      expect(provider.seen.at(-1)?.headers['content-type']).toBe(type);
      expect(provider.seen.at(-1)?.body.equals(bytes)).toBe(true);
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
    const got = provider.seen[0]?.headers ?? {};
    expect(got).toMatchObject({
      'x-custom-key': 'Key s3cret',
      'x-kept': 'yes',
      host: new URL(provider.address()).host,
    });
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
    provider.answer = (_request, response) => {
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
    const { status, headers, text } = await call(`GET ${provider.target}/x`);
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
    provider.answer = (_request, response) => response.writeHead(999, { vary: 'Accept' }).end('denied');
    expect(await callAsWritten(`${provider.target}/x`)).toEqual({ status: 999, body: 'denied' });
  });

  test('Vary of the provider and of this server', async () => {
    provider.answer = (_request, response) => response.writeHead(200, { vary: 'Accept' }).end();
    expect((await call(`GET ${provider.target}/x`)).headers.get('vary')).toBe('Origin, Accept');
  });

  test('redirects are passed on', async () => {
    provider.answer = (_request, response) => response.writeHead(302, { location: 'https://example.org/' }).end();
    const response = await fetch(`${running.server.rest}${provider.target}/x`, {
      headers: { 'x-api-key': running.rootKey },
      redirect: 'manual',
    });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.org/']);
  });

  test('streamed; a client abort cancels the call to the provider', async () => {
    let gone: Promise<void> | undefined;
    provider.answer = (_request, response) => {
      gone = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    };
    const leaving = new AbortController();
    const response = await fetch(`${running.server.rest}${provider.target}/stream`, {
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
    provider.answer = ({ url }, response) => {
      if (url?.endsWith('/endless') !== true) {
        response.end('{}');
        return;
      }
      const more = setInterval(() => response.write('more'), 100);
      response.once('close', () => clearInterval(more));
      if (provider.seen.length === 16) allRun();
    };
    const leaving = new AbortController();
    const held = Array.from({ length: 16 }, () => call(`GET ${provider.target}/endless`, { signal: leaving.signal }));
    await allRunning;
    const targetId = provider.target.split('/').at(-1);
    const { json } = await call('POST /v1/ping:once', { body: { targetId, timeoutMs: 2000 } });
    expect(json.httpStatus, JSON.stringify(json)).toBe(200);
    leaving.abort();
    await Promise.allSettled(held);
  });

  test('a response that breaks off or stalls is truncated', async () => {
    provider.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    };
    await expect(call(`GET ${provider.target}/x`)).rejects.toThrow();
    provider.answer = (_request, response) => {
      response.writeHead(200);
      response.write('half');
    };
    await expect(call(`GET ${provider.target}/x`)).rejects.toThrow();
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
      provider.answer = silent;
      const { status, error } = await call(`POST ${provider.target}/x`, { body: {} });
      expect([status, error.code]).toEqual([504, 'DEADLINE_EXCEEDED']);
    }
  });

  test('an unusable credential is FAILED_PRECONDITION, and reveals no secret', async () => {
    const secretRef = { uri: 'env://SVC_TEST_NO_SUCH_VARIABLE' };
    const credentials = { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef } };
    const path = await create('llms', { credentials });
    const { status, error } = await call(`GET ${path}/x`);
    expect([status, error.code]).toEqual([412, 'FAILED_PRECONDITION']);
    expect(provider.seen).toEqual([]);
  });
});
