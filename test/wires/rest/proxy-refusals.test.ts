import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import { useProxy } from './proxy.fixture.ts';

const { running, provider, create, call, callAsWritten } = useProxy(['--rest-max-body-mb', '1']);

describe('refused here, without a call to the provider', () => {
  test.each(['..', '.', 'a/../../b', '%2e%2e/b', 'a/%2E%2E', 'a/..%2fb', 'a\\..\\b', '%252e%252e/x', '..;/x', 'a/..'])(
    'the path %s',
    async (path) => {
      const { status, body } = await callAsWritten(`${provider.target}/${path}`);
      expect([status, JSON.parse(body).error.code]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(provider.seen).toEqual([]);
    },
  );

  test('broken percent-encoding', async () => {
    expect((await callAsWritten(`${provider.target}/%zz`)).status).toBe(400);
    expect(provider.seen).toEqual([]);
  });

  test('dots within segments pass', async () => {
    const { status } = await callAsWritten(`${provider.target}/...a/b..c/.d?e=../f`);
    expect([status, provider.seen[0]?.url]).toEqual([200, '/v1/...a/b..c/.d?e=../f']);
  });

  test('malformed ids and kinds', async () => {
    const id = provider.target.split('/').at(-1) ?? '';
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
    expect((await raw(running.server, `${provider.target}/x`)).status).toBe(401);
    expect(provider.seen).toEqual([]);
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
    expect((await call(provider.target.replace('proxy/', ''), { key })).status).toBe(200);
    expect((await call(`${provider.target}/x`, { key })).error.code).toBe('PERMISSION_DENIED');
    expect(
      (await call(`${provider.target}/x`, { key: await keyOf({ restrictions: { readOnly: true } }) })).status,
    ).toBe(403);
    const own = await create('llms', {}, key);
    expect(provider.seen).toEqual([]);
    expect((await call(`${own}/x`, { key })).status).toBe(200);
  });

  test('a client that sends its whole body first gets the refusal then', async () => {
    const { hostname, port } = new URL(running.server.rest);
    const socket = connect(Number(port), hostname).pause();
    const head = `POST ${provider.target}/x HTTP/1.1\r\nHost: x\r\nx-api-key: ${running.rootKey}\r\n`;
    socket.write(`${head}content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    await new Promise((resolve) => socket.write(`${chunk.repeat(128)}0\r\n\r\n`, resolve));
    const [answer] = await once(socket.resume(), 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('a body beyond the limit, with and without its length', async () => {
    const large = Buffer.alloc(1_100_000);
    const told = await call(`POST ${provider.target}/x`, { body: large, headers: { 'content-type': 'text/plain' } });
    expect([told.status, told.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const untold = await call(`POST ${provider.target}/x`, {
      body: new Blob([large]).stream(),
      headers: { 'content-type': 'text/plain' },
    });
    expect([untold.status, untold.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(provider.seen).toEqual([]);
  });
});
