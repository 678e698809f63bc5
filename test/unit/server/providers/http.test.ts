import { getEventListeners, setMaxListeners } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure, newHttp, newStandIn, request } from './provider-http.fixture.ts';

/** A port on loopback where nobody listens. */
async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('calls', () => {
  it('report bytes, times and status, and keep the connection', async () => {
    const standIn = await newStandIn();
    const http = newHttp();
    const sent = request(`${standIn.url}/v1/embeddings`);
    const response = await http.call(sent);
    expect(response.status).toBe(200);
    expect(response.bytesSent).toBe(sent.body?.byteLength);
    expect(response.bytesReceived).toBe(response.body.byteLength);
    expect(JSON.parse(Buffer.from(response.body).toString())).toMatchObject({ object: 'list' });
    const { sentUnixNanos, receivedUnixNanos, rttMs } = response.timing;
    expect(Number(receivedUnixNanos - sentUnixNanos) / 1e6).toBeCloseTo(rttMs, 6);
    expect(rttMs).toBeGreaterThan(0);
    for (let i = 0; i < 20; i++) await http.call(sent);
    // The client may open a second one while it tidies up after the first answer.
    expect(standIn.connections).toBeLessThanOrEqual(2);
  });

  it('open no more connections to an origin than allowed', async () => {
    const standIn = await newStandIn();
    const http = newHttp({ connectionsPerOrigin: 3 });
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const calls = Array.from({ length: 30 }, () => http.call(request(`${standIn.url}/v1/embeddings`, { signal })));
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(standIn.requests).toHaveLength(30);
    expect(standIn.connections).toBeLessThanOrEqual(3);
  });

  it('are not delayed by a hundred unanswered ones', async () => {
    const standIn = await newStandIn();
    const http = newHttp();
    const url = `${standIn.url}/v1/embeddings`;
    standIn.always({ kind: 'hang' });
    const controller = new AbortController();
    // A hundred calls at once are no leak.
    setMaxListeners(0, controller.signal);
    const silent = Array.from({ length: 100 }, () => http.call(request(url, { signal: controller.signal })));
    const ends = Promise.allSettled(silent);
    await standIn.received(100);
    standIn.always(undefined);
    expect((await http.call(request(url))).status).toBe(200);
    controller.abort();
    await ends;
  });

  it('do not follow redirects', async () => {
    const standIn = await newStandIn();
    const other = await newStandIn();
    standIn.next({ kind: 'status', status: 307, headers: { location: `${other.url}/v1/embeddings` } });
    const response = await newHttp().call(request(`${standIn.url}/v1/embeddings`));
    expect(response.status).toBe(307);
    expect(other.requests).toHaveLength(0);
  });

  it('refuse an answer that is longer than allowed', async () => {
    const standIn = await newStandIn();
    standIn.always({ kind: 'text', body: 'x'.repeat(5000) });
    const http = newHttp();
    const url = `${standIn.url}/v1/embeddings`;
    expect((await failure(http.call(request(url, { maxResponseBytes: 4999 })))).reason).toBe('invalid_response');
    expect((await http.call(request(url, { maxResponseBytes: 5000 }))).bytesReceived).toBe(5000);
  });

  it.each(['hang', 'stall'] as const)('end as a time-out when the provider does %s', async (kind) => {
    const standIn = await newStandIn();
    standIn.always({ kind });
    const error = await failure(newHttp().call(request(`${standIn.url}/v1/embeddings`, { timeoutMs: 50 })));
    expect(error).toMatchObject({ reason: 'timeout', away: false, retryable: false });
    expect(error.message).toMatch(/^OPENAI at 127\.0\.0\.1:\d+ did not answer within 0\.05 s$/);
  });

  it.each(['hang', 'stall'] as const)('end with their signal while the provider does %s', async (kind) => {
    const standIn = await newStandIn();
    standIn.always({ kind });
    const controller = new AbortController();
    const call = newHttp().call(request(`${standIn.url}/v1/embeddings`, { signal: controller.signal }));
    await standIn.received(1);
    const reason = new Error('the caller left');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('end at their timeout and with their signal while they wait for a connection', async () => {
    const standIn = await newStandIn();
    standIn.always({ kind: 'hang' });
    const http = newHttp({ connectionsPerOrigin: 1 });
    const url = `${standIn.url}/v1/embeddings`;
    let isTaken = true;
    const taking = http.call(request(url)).catch(() => {
      isTaken = false;
    });
    await standIn.received(1);
    expect((await failure(http.call(request(url, { timeoutMs: 50 })))).reason).toBe('timeout');
    const controller = new AbortController();
    const left = http.call(request(url, { signal: controller.signal }));
    const reason = new Error('the caller left');
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(isTaken).toBe(true);
    await http.close();
    await taking;
  });

  it('do not start under an aborted signal', async () => {
    const standIn = await newStandIn();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(newHttp().call(request(`${standIn.url}/v1/embeddings`, { signal }))).rejects.toThrow('too late');
    expect(standIn.connections).toBe(0);
  });

  it('report a refused connection as unavailable', async () => {
    const error = await failure(newHttp().call(request(`http://127.0.0.1:${await freePort()}/v1`)));
    expect(error).toMatchObject({ reason: 'unavailable', away: true, retryable: true, permanent: false });
    expect(error.message).toMatch(/refused the connection \(ECONNREFUSED\)$/);
  });

  it('report an unknown host name', async () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const http = newHttp({ lookup: (_name, _options, callback) => callback(unknown, []) });
    const error = await failure(http.call(request('http://nobody.invalid/')));
    expect(error).toMatchObject({ reason: 'unavailable', away: false });
    expect(error.message).toBe('OPENAI at nobody.invalid cannot be found: its host name does not resolve (ENOTFOUND)');
  });

  it('distinguish a connection that breaks before the answer from one that breaks in it', async () => {
    const standIn = await newStandIn();
    const http = newHttp();
    standIn.next({ kind: 'drop' }, { kind: 'truncate' });
    const url = `${standIn.url}/v1/embeddings`;
    expect(await failure(http.call(request(url)))).toMatchObject({
      reason: 'unavailable',
      away: false,
      retryable: true,
    });
    expect(await failure(http.call(request(url)))).toMatchObject({ reason: 'invalid_response', retryable: true });
  });

  it('report an answer that is not HTTP', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
      socket.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    expect((await failure(newHttp().call(request(`http://127.0.0.1:${port}/`)))).reason).toBe('invalid_response');
  });

  it('verify certificates', async () => {
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
    const server = createTlsServer({ key: pems.private, cert: pems.cert }, (_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const error = await failure(newHttp().call(request(`https://127.0.0.1:${port}/`)));
    expect(error).toMatchObject({ reason: 'configuration', away: false });
    expect(error.message).toContain('no usable TLS certificate');
  });

  it('refuse a header with a line break', async () => {
    const standIn = await newStandIn();
    const headers = { authorization: 'Bearer a\r\nx-evil: 1' };
    const error = await failure(newHttp().call(request(`${standIn.url}/v1/embeddings`, { headers })));
    expect(error.reason).toBe('configuration');
    expect(error.message).not.toContain('evil');
    expect(standIn.requests).toHaveLength(0);
  });
});
