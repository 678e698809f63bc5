import { type Client, credentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RateLimiter } from '../../../../../src/server/service/rate-limit/rate-limiter.ts';
import type { CallObserver } from '../../../../../src/server/transport/call-observer.ts';
import { NO_OBSERVER } from '../../../../../src/server/transport/call-observer.ts';
import { serviceDefinition } from '../../../../../src/server/transport/grpc/bridge.ts';
import { MemoryService } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../../../../src/shared/gen/service/v1/system_pb.ts';
import { SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

/** 12 s before the end of a window of a minute. */
const NOW = 1_800_000_048_000;
const RESET = '1800000060';

let now: number;
let limiter: RateLimiter;
let limited: string[];
let wires: Wires;
const clients: Client[] = [];

beforeEach(async () => {
  now = NOW;
  limited = [];
  limiter = new RateLimiter({ max: 3, windowSeconds: 60 }, () => now);
  const observer: CallObserver = { ...NO_OBSERVER, rateLimited: (transport) => limited.push(transport) };
  wires = await startWires({ limiter, observer }, { corsOrigins: ['https://a.example'] });
  wires.open();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await wires.close();
});

interface Seen {
  status: number | string;
  limit: string | null;
  remaining: string | null;
  reset: string | null;
  retryAfter: string | null;
  error: unknown;
}

async function rest(path: string, key?: string, init: RequestInit = {}): Promise<Seen> {
  const answer = await fetch(`${wires.rest}${path}`, {
    ...init,
    headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...init.headers },
  });
  const text = await answer.text();
  const read = (name: string) => answer.headers.get(name);
  return {
    status: answer.status,
    limit: read('x-ratelimit-limit'),
    remaining: read('x-ratelimit-remaining'),
    reset: read('x-ratelimit-reset'),
    retryAfter: read('retry-after'),
    error: answer.ok || text === '' ? undefined : JSON.parse(text).error,
  };
}

/** One RPC, looked at by its trailing metadata. */
function grpc(
  service: typeof SpaceService | typeof SystemService | typeof MemoryService,
  method: string,
  key?: string,
) {
  const Constructor = makeGenericClientConstructor(serviceDefinition(service), service.typeName);
  const client = new Constructor(wires.grpc, credentials.createInsecure());
  clients.push(client);
  const metadata = new Metadata();
  if (key !== undefined) metadata.set('x-api-key', key);
  const call = (client as unknown as Record<string, (...args: unknown[]) => NodeJS.EventEmitter>)[method];
  return new Promise<Seen & { code: string | undefined; details: string }>((resolve) => {
    const isUnary = method !== 'RetrieveMemory';
    const running = call?.call(client, new Uint8Array(), metadata, ...(isUnary ? [() => {}] : []));
    running?.on('data', () => {});
    running?.on('error', () => {});
    running?.on('status', (status: { code: number; details: string; metadata: Metadata }) => {
      const read = (name: string) => (status.metadata.get(name)[0] as string | undefined) ?? null;
      resolve({
        status: status.code,
        limit: read('x-ratelimit-limit'),
        remaining: read('x-ratelimit-remaining'),
        reset: read('x-ratelimit-reset'),
        retryAfter: read('retry-after'),
        error: undefined,
        code: read('x-error-code') ?? undefined,
        details: decodeURIComponent(read('x-error-details') ?? ''),
      });
    });
  });
}

const standing = (remaining: number) => ({ limit: '3', remaining: String(remaining), reset: RESET });
const REFUSED = { ...standing(0), retryAfter: '12' };
const DETAILS = 'limit 3 per 60 s; retry after 12 s';

test('every response has the rate limit headers of the key, whatever its status', async () => {
  expect(await rest('/v1/spaces', 'key-a')).toMatchObject({ status: 200, ...standing(2), retryAfter: null });
  expect(await rest('/v1/spaces?maxResults=x', 'key-a')).toMatchObject({ status: 400, ...standing(1) });
  expect(await rest('/v1/spaces', 'key-b')).toMatchObject({ status: 200, ...standing(2) });
  expect(await grpc(SpaceService, 'ListSpaces', 'key-a')).toMatchObject({ status: 0, ...standing(0) });
  const refused = { code: 'RESOURCE_EXHAUSTED', message: 'Too many requests', details: DETAILS };
  expect(await rest('/v1/spaces', 'key-a')).toMatchObject({ status: 429, ...REFUSED, error: refused });
  expect(await grpc(SpaceService, 'ListSpaces', 'key-a')).toMatchObject({
    status: 8,
    ...REFUSED,
    code: 'RESOURCE_EXHAUSTED',
    details: DETAILS,
  });
  expect(limited).toEqual(['rest', 'grpc']);
  now += 12_000;
  expect(await rest('/v1/spaces', 'key-a')).toMatchObject({ status: 200, remaining: '2', reset: '1800000120' });
});

test('a stream counts 1 and has the rate limit headers, before the body is read', async () => {
  const post = (body: string) =>
    rest('/v1/memories:retrieve', 'key-a', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const body = JSON.stringify({ message: 'boiler', spaceKeys: [{ spaceId: SPACE_ID }] });
  expect(await post(body)).toMatchObject({ status: 200, ...standing(2) });
  expect(await grpc(MemoryService, 'RetrieveMemory', 'key-a')).toMatchObject({ status: 3, ...standing(1) });
  expect(await post('{not json')).toMatchObject({ status: 400, ...standing(0) });
  expect(await post('{not json')).toMatchObject({ status: 429, ...REFUSED });
  expect(await post('x'.repeat(5_000_000))).toMatchObject({ status: 429 });
});

test('calls without a usable key count for their address, on both wires together', async () => {
  expect(await rest('/v1/system/info')).toMatchObject({ status: 200, ...standing(2) });
  expect(await rest('/v1/spaces', 'wrong')).toMatchObject({ status: 401, ...standing(1) });
  expect(await grpc(SystemService, 'GetSystemInfo')).toMatchObject({ status: 0, ...standing(0) });
  expect(await rest('/v1/spaces')).toMatchObject({ status: 429, ...REFUSED });
  expect(await grpc(SpaceService, 'ListSpaces', 'wrong')).toMatchObject({ status: 8, ...REFUSED });
  expect(await rest('/v1/system/info', 'key-a')).toMatchObject({ status: 200, ...standing(2) });
  expect(await rest('/v1/spaces', 'key-a')).toMatchObject({ status: 200, ...standing(1) });
});

test('unknown routes and a starting server send the headers of the address and count nothing', async () => {
  for (const path of ['/v1/nowhere', '/v1', '/v1?x=1', '/v1/%zz']) {
    expect(await rest(path, 'key-a')).toMatchObject(standing(3));
  }
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  };
  expect(await rest('/v1/spaces', 'key-a', preflight)).toMatchObject({ status: 204, ...standing(3) });
  const starting = await startWires({ limiter });
  const answer = await fetch(`${starting.rest}/v1/spaces`, { headers: { 'x-api-key': 'key-a' } });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('3');
  await starting.close();
  expect(await rest('/v1/spaces', 'key-a')).toMatchObject(standing(2));
});

test('outside of /v1 nothing is limited', async () => {
  for (const path of ['/livez', '/nowhere', '/v1nowhere']) expect((await rest(path)).limit).toBeNull();
  expect(limiter.peek('address:127.0.0.1')?.remaining).toBe(3);
});

test('with the limit off the headers are left out', async () => {
  limiter.configure({ max: 0, windowSeconds: 60 });
  for (let time = 0; time < 5; time += 1) {
    expect(await rest('/v1/spaces', 'key-a')).toMatchObject({ status: 200, limit: null, remaining: null, reset: null });
  }
  expect(await rest('/v1/spaces')).toMatchObject({ status: 401, limit: null });
  expect(await grpc(SpaceService, 'ListSpaces', 'key-a')).toMatchObject({ status: 0, limit: null });
  expect(await grpc(SpaceService, 'ListSpaces')).toMatchObject({ status: 16, limit: null });
});
