import { afterAll, beforeAll, expect, test } from 'vitest';
import { RateLimiter } from '../../../../../src/server/service/rate-limit/rate-limiter.ts';
import { SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

const APP = 'https://app.example.com';
const DEV = 'http://localhost:5173';
let open: Wires;
let shut: Wires;

beforeAll(async () => {
  const limiter = new RateLimiter({ max: 1000, windowSeconds: 60 });
  open = await startWires({ limiter }, { corsOrigins: [APP, DEV] });
  shut = await startWires();
  open.open();
  shut.open();
});
afterAll(async () => {
  await open?.close();
  await shut?.close();
});

const preflight = (base: string, path: string, origin = APP, headers: Record<string, string> = {}) =>
  fetch(`${base}${path}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  });

test.each(['/v1/spaces', '/v1/memories:retrieve', '/v1/system/info', '/livez', '/v1/proxy/llms/1/v1/chat/completions'])(
  'a preflight for %s is answered without a key',
  async (path) => {
    for (const origin of [APP, DEV]) {
      const answer = await preflight(open.rest, path, origin);
      expect(answer.status).toBe(204);
      expect(await answer.text()).toBe('');
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
      expect(answer.headers.get('access-control-allow-headers')).toContain('x-api-key');
      expect(answer.headers.get('access-control-max-age')).toBe('7200');
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.get('x-request-id')).not.toBeNull();
    }
  },
);

test('the headers that a preflight asks for are allowed', async () => {
  const headers = { 'access-control-request-headers': 'x-api-key, x-stainless-os, content-type' };
  const answer = await preflight(open.rest, '/v1/spaces', APP, headers);
  expect(answer.headers.get('access-control-allow-headers')).toBe('x-api-key, x-stainless-os, content-type');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});

test('a preflight counts against no rate limit', async () => {
  const before = open.calls.limiter?.peek('address:127.0.0.1')?.remaining;
  for (let time = 0; time < 3; time += 1) await preflight(open.rest, '/v1/spaces');
  expect(open.calls.limiter?.peek('address:127.0.0.1')?.remaining).toBe(before);
});

test.each([
  ['an answer', 'GET', '/v1/spaces', 'key-a', 200],
  ['a refusal', 'GET', '/v1/spaces', '', 401],
  ['no route', 'GET', '/v1/nowhere', '', 404],
  ['a failure', 'POST', '/v1/spaces', 'key-a', 501],
  ['health', 'GET', '/livez', '', 200],
  ['a malformed path', 'GET', '/v1/%zz', '', 400],
])('%s allows the origin and exposes its headers', async (_name, method, path, key, status) => {
  const call = (origin: string) =>
    fetch(`${open.rest}${path}`, { method, headers: { origin, ...(key === '' ? {} : { 'x-api-key': key }) } });
  const answer = await call(APP);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
  expect(answer.headers.get('vary')).toContain('Origin');
  const exposed = answer.headers.get('access-control-expose-headers') ?? '';
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id', 'Location']) {
    expect(exposed.split(', ')).toContain(name);
  }
  for (const name of ['Retry-After', 'ETag', 'Content-Disposition']) expect(exposed.split(', ')).toContain(name);

  const other = await call('https://evil.example.com');
  expect(other.status).toBe(status);
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  expect(other.headers.get('vary')).toContain('Origin');
});

test('a stream allows the origin', async () => {
  const answer = await fetch(`${open.rest}/v1/memories:retrieve`, {
    method: 'POST',
    headers: { origin: DEV, 'x-api-key': 'key-a', 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'boiler', spaceKeys: [{ spaceId: SPACE_ID }] }),
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(DEV);
  expect(answer.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
  expect(await answer.text()).toContain('retrievedItem');
});

test.each([
  ['another origin', 'https://evil.example.com'],
  ['an origin that begins like a known one', `${APP}.evil.example.com`],
  ['the same host on another port', `${APP}:8443`],
  ['the same host in plain text', 'http://app.example.com'],
  ['no origin at all', 'null'],
])('a preflight of %s is an unknown route', async (_name, origin) => {
  const answer = await preflight(open.rest, '/v1/spaces', origin);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('an OPTIONS that is no preflight is an unknown route', async () => {
  const answer = await fetch(`${open.rest}/v1/spaces`, { method: 'OPTIONS', headers: { origin: APP } });
  expect(answer.status).toBe(404);
});

test('without configured origins there are no CORS headers', async () => {
  expect((await preflight(shut.rest, '/v1/spaces')).status).toBe(404);
  const answer = await fetch(`${shut.rest}/v1/spaces`, { headers: { origin: APP, 'x-api-key': 'key-a' } });
  expect(answer.status).toBe(200);
  for (const name of ['access-control-allow-origin', 'access-control-expose-headers', 'vary']) {
    expect(answer.headers.get(name)).toBeNull();
  }
});
