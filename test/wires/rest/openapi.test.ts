import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { OPERATIONS, type OperationKey } from '../../../src/shared/operations/table.ts';
import { built } from '../../support/built.ts';
import { BUILT } from '../../support/built-operations.ts';
import { expectDescribed } from '../../support/described.ts';
import { raw } from '../../support/raw-rest.ts';
import { sharedEmbedder, useServer } from '../../support/server.fixture.ts';
import type { Json } from '../../support/wire.ts';

const running = useServer();

const describedPaths = async (): Promise<[string, Record<string, Json>][]> =>
  Object.entries((await raw(running.server, '/openapi.json')).json.paths);

/** Fills the parameters of a path with something that exists nowhere. */
function filled(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'kind') return 'embedders';
    return name === 'pageIndex' ? '0' : '01980000-0000-7000-8000-00000000dead';
  });
}

test('the description is served without a key, the same at both addresses', async () => {
  const [top, below] = [await raw(running.server, '/openapi.json'), await raw(running.server, '/v1/openapi.json')];
  expect(top.status).toBe(200);
  expect(top.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(below.bytes.equals(top.bytes)).toBe(true);
  expect(await new Validator().validate(top.json)).toEqual({ valid: true });
  expect(top.json.info.version).toBe(top.headers.get('x-service-version'));
});

test('it is the document that the repository holds', async () => {
  const held: Json = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
  const { json: served } = await raw(running.server, '/openapi.json');
  expect(served).toEqual({ ...held, info: { ...held.info, version: served.info.version } });
});

test('it is 304 for a matching ETag', async () => {
  const first = await raw(running.server, '/openapi.json');
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const again = await raw(running.server, '/openapi.json', { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  expect(again.bytes).toHaveLength(0);
  const head = await raw(running.server, 'HEAD /openapi.json', { headers: { 'accept-encoding': 'identity' } });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(String(first.bytes.length));
});

test('every path and method that it describes is routed', async () => {
  for (const [path, methods] of await describedPaths()) {
    for (const method of Object.keys(methods)) {
      const answer = await raw(running.server, `${method.toUpperCase()} ${filled(path)}`);
      expect(answer.error.message, `${method} ${path}`).not.toContain('No such route');
    }
  }
});

test('it marks exactly the operations that this build lacks', async () => {
  const marked = (await describedPaths()).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { description = '' }]) => description.includes('does not have the operation'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const lacking = (Object.keys(OPERATIONS) as OperationKey[])
    .filter((key) => !BUILT.has(key))
    .flatMap((key) => OPERATIONS[key].rest.map(({ method, path }) => `${method} ${path}`));
  expect(marked.sort()).toEqual(lacking.sort());
  for (const key of (Object.keys(OPERATIONS) as OperationKey[]).filter((name) => !BUILT.has(name))) {
    const { rpc, rest } = OPERATIONS[key];
    const answer = await raw(running.server, `${rest[0]?.method} ${filled(rest[0]?.path ?? '')}`, {
      key: running.rootKey,
    });
    const message = `This build does not have the operation ${rpc.name}`;
    expect(answer.error).toMatchObject({ code: 'UNIMPLEMENTED', message });
  }
});

test('routes outside the table answer as described', async () => {
  for (const path of ['/health', '/livez', '/readyz', '/startupz', '/openapi.json']) {
    const { status, headers, json } = await raw(running.server, path);
    const body = path === '/openapi.json' ? undefined : json;
    expectDescribed({ method: 'GET', path, status, headers: new Set(headers.keys()), body });
  }
});

test('documents are answered as described, whole and in parts', async () => {
  const send = (target: string, body: Record<string, unknown>) =>
    raw(running.server, target, { key: running.rootKey, body });
  const embedderId = await sharedEmbedder(running);
  const { spaceId } = (await send('POST /v1/spaces', { name: 'documents', embedderId })).json;
  const text = { spaceId, contentType: 'text/plain', originalContent: 'The boiler was serviced.' };
  const { memoryId } = (await send('POST /v1/memories?waitMs=60000', text)).json;
  const path = '/v1/memories/{memoryId}/content';
  for (const [range, expected] of [
    ['', 200],
    ['bytes=0-3', 206],
    ['bytes=900-', 416],
  ] as const) {
    const headers: Record<string, string> = range === '' ? {} : { range };
    const answer = await raw(running.server, `/v1/memories/${memoryId}/content`, { key: running.rootKey, headers });
    expect(answer.status).toBe(expected);
    expectDescribed({ method: 'GET', path, status: expected, headers: new Set(answer.headers.keys()) });
  }
});

const FILES = [
  '',
  'index.html',
  'reference.js',
  'reference.css',
  'favicon.svg',
  'swagger-ui-bundle.js',
  'swagger-ui.css',
];

test('the one redirect leads to the console', async () => {
  const answer = await fetch(`${running.server.rest}/console`, { redirect: 'manual' });
  expect(answer.status).toBe(308);
  expect(answer.headers.get('location')).toBe('/console/');
  const page = await raw(running.server, '/console/');
  expect(page.status).toBe(200);
  expect(page.text).toContain('API reference');
});

test.each(FILES)('/console/reference/%s is served without a key, with security headers', async (name) => {
  const answer = await raw(running.server, `/console/reference/${name}`);
  expect(answer.status).toBe(200);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const again = await raw(running.server, `/console/reference/${name}`, {
    headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  expect((await raw(running.server, `HEAD /console/reference/${name}`)).status).toBe(200);
});

test('files are sent in the requested encoding, with the same content', async () => {
  const path = '/console/reference/swagger-ui-bundle.js';
  const plain = await raw(running.server, path, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  for (const [accept, encoding] of [
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
  ] as const) {
    const packed = await raw(running.server, path, { headers: { 'accept-encoding': accept } });
    expect(packed.headers.get('content-encoding')).toBe(encoding);
    expect(packed.headers.get('vary')).toContain('Accept-Encoding');
    expect(packed.bytes.equals(plain.bytes)).toBe(true);
  }
});

test.each([
  '/console/nothing.js',
  '/console/reference',
  '/console/..%2f..%2fpackage.json',
  '/console/%2e%2e/%2e%2e/package.json',
  '/console/reference/..%5c..%5cmain.js',
  '/console/reference/swagger-ui-bundle.js.br',
  '/console/__proto__',
])('there is no file at %s', async (path) => {
  const answer = await raw(running.server, path);
  expect(answer.status).toBe(404);
  expect(answer.error.code).toBe('NOT_FOUND');
});

/** Where a page, its style sheets and its own script would load something from. */
const LOADS =
  /(?:src|href|action|poster|srcset)\s*=\s*["']?([^"'\s>]+)|url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)|\bfrom\s+["']([^"']+)/g;

test('the pages load from their own origin alone, without inline script or style', () => {
  for (const name of [
    'index.html',
    'reference/index.html',
    'reference/reference.js',
    'reference/reference.css',
    'reference/swagger-ui.css',
    'reference/favicon.svg',
  ]) {
    const text = readFileSync(built(`console/${name}`), 'utf8');
    const targets = [...text.matchAll(LOADS)].map((match) => match.slice(1).find((part) => part !== undefined) ?? '');
    const foreign = targets.filter((target) => /^(?:[a-z]+:)?\/\//i.test(target));
    expect(foreign, name).toEqual([]);
    if (name.endsWith('.html')) expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    if (name.endsWith('reference.js')) expect(text).toContain('validatorUrl: null');
  }
});
