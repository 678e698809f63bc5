import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import type { Json } from '../../support/wire.ts';

/** Loopback is not among them. */
const running = useOwnServer(['--provider-allowed-networks', '203.0.113.0/24,fd12:3456::/32']);

let upstream: OpenAiStandIn;
let user: { userId: string; key: string };
beforeAll(async () => {
  upstream = await OpenAiStandIn.start({ dimensions: 4 });
  user = await newUser();
});
afterAll(() => upstream?.close());

const call = (target: string, body?: Json, key = running.rootKey) =>
  raw(running.server, target, { key, ...(body === undefined ? {} : { body }) });

async function newUser(): Promise<{ userId: string; key: string }> {
  const { json } = await call('POST /v1/users', { email: `${unique('u')}@example.org`, displayName: 'u' });
  const key = (await call('POST /v1/apikeys', { userId: json.userId })).json.rawApiKey;
  return { userId: json.userId, key };
}

function target(kind: string, endpointUrl: string, more: Json = {}) {
  const own = kind === 'embedders' ? { dimensionality: 4 } : {};
  const providerType = kind === 'embedders' ? 'OPENAI' : 'VLLM';
  return { displayName: 't', providerType, endpointUrl, modelIdentifier: unique('m'), ...own, ...more };
}

function idOf(json: Json): string {
  const record = json.llm ?? json;
  return record.llmId ?? record.rerankerId ?? record.embedderId;
}

async function remember(spaceId: string, key: string, waitMs = 0): Promise<Json> {
  const body = { spaceId, originalContent: 'The boiler', contentType: 'text/plain' };
  const { json, status, text } = await call(`POST /v1/memories?waitMs=${waitMs}`, body, key);
  expect(status, text).toBe(201);
  return json;
}

const PROBLEM =
  'endpointUrl: must be a public address, or one in a network that the server allows (--provider-allowed-networks)';

describe.each(['embedders', 'rerankers', 'llms'])('the %s of a user', (kind) => {
  test.each(['http://127.0.0.1:8080', 'http://localhost/', 'http://10.0.0.1', 'http://[::1]/', 'http://0/'])(
    'cannot be at %s, for any caller',
    async (endpointUrl) => {
      for (const [key, more] of [
        [user.key, {}],
        [running.rootKey, { ownerId: user.userId }],
      ] as const) {
        const { status, error } = await call(`POST /v1/${kind}`, target(kind, endpointUrl, more), key);
        expect([status, error.code, error.details]).toEqual([400, 'INVALID_ARGUMENT', PROBLEM]);
      }
    },
  );

  test('can be at public addresses, in allowed networks and behind names, and cannot be updated to any other address', async () => {
    for (const endpointUrl of [
      'https://8.8.8.8/v1',
      'http://203.0.113.9',
      'http://[fd12:3456::1]',
      'http://models.lan',
    ]) {
      const { status, json, text } = await call(`POST /v1/${kind}`, target(kind, endpointUrl), user.key);
      expect(status, text).toBe(201);
      const path = `/v1/${kind}/${idOf(json)}`;
      const { error } = await call(`PUT ${path}`, { endpointUrl: upstream.url }, user.key);
      expect([error.code, error.details]).toEqual(['INVALID_ARGUMENT', PROBLEM]);
      expect((await call(path, undefined, user.key)).json.endpointUrl).toBe(endpointUrl);
    }
  });

  test('of an administrator can be anywhere', async () => {
    const { status, json } = await call(`POST /v1/${kind}`, target(kind, 'http://10.0.0.1'));
    expect(status).toBe(201);
    expect((await call(`PUT /v1/${kind}/${idOf(json)}`, { endpointUrl: 'http://127.0.0.1:9' })).status).toBe(200);
  });
});

describe('the current role of the owner decides at each call of a target', () => {
  let owner: { userId: string; key: string };
  let embedderId: string;
  let spaceId: string;
  beforeAll(async () => {
    owner = await newUser();
    await become('ADMIN');
    embedderId = idOf((await call('POST /v1/embedders', target('embedders', `${upstream.url}/v1`), owner.key)).json);
    const space = await call('POST /v1/spaces', { name: unique('s'), embedderId }, owner.key);
    spaceId = space.json.spaceId;
    await remember(spaceId, owner.key, 30_000);
  });

  const become = async (role: string) =>
    expect((await call(`PUT /v1/users/${owner.userId}`, { role })).status).toBe(200);
  const proxied = () => call(`POST /v1/proxy/embedders/${embedderId}/embeddings`, { input: ['x'] }, owner.key);
  const pinged = () => call('POST /v1/ping:once', { targetId: embedderId }, owner.key);
  const found = async () => {
    const { text } = await call('POST /v1/memories:retrieve', { message: 'x', spaceKeys: [{ spaceId }] }, owner.key);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
  };
  const codes = async () => (await found()).flatMap(({ status }) => status?.code ?? []);

  test('a target of a demoted administrator is refused on every path, and nothing is sent', async () => {
    await become('ADMIN');
    expect((await proxied()).status).toBe(200);
    expect((await pinged()).json.ok).toBe(true);
    expect(await codes()).toEqual([]);
    const before = upstream.requests.length;

    await become('USER');
    expect(await codes()).toEqual(['CONFIGURATION_ERROR', 'EMBEDDER_FAILED']);
    const refused = await proxied();
    expect([refused.status, refused.error.code]).toEqual([412, 'FAILED_PRECONDITION']);
    expect(refused.error.message).toContain('--provider-allowed-networks');
    const { json: probe } = await pinged();
    expect(probe).toMatchObject({ ok: false, errorMessage: expect.stringContaining('not at a public address') });
    expect((await call(`POST /v1/proxy/embedders/${embedderId}/embeddings`, {})).status).toBe(412);
    const { memoryId } = await remember(spaceId, owner.key);
    const history = () => call(`/v1/memories/${memoryId}?includeProcessingHistory=true`, undefined, owner.key);
    await expect.poll(async () => (await history()).text, { timeout: 30_000 }).toContain('not at a public address');
    expect(upstream.requests).toHaveLength(before);
    const { json: diagnosis } = await call('/v1/system/diagnosis');
    const check = diagnosis.checks.find(({ name }: Json) => name === 'embedders');
    expect(check).toMatchObject({ status: 'FAIL', message: expect.stringContaining('--provider-allowed-networks') });

    await become('ADMIN');
    expect((await pinged()).json.ok).toBe(true);
    expect(await codes()).toEqual([]);
  });
});

test('a change of an embedder takes effect in the next call', async () => {
  // Of its own: jobs of other tests may still be tried again with theirs.
  const one = await OpenAiStandIn.start({ dimensions: 4 });
  const other = await OpenAiStandIn.start({ dimensions: 4 });
  try {
    const { json } = await call('POST /v1/embedders', target('embedders', `${one.url}/v1`));
    const { json: space } = await call('POST /v1/spaces', { name: unique('s'), embedderId: json.embedderId });
    const ask = () => call('POST /v1/memories:retrieve', { message: 'x', spaceKeys: [{ spaceId: space.spaceId }] });
    const processed = async () => {
      expect((await remember(space.spaceId, running.rootKey, 30_000)).processingStatus).toBe('COMPLETED');
    };
    for (const standIn of [other, one, other]) {
      await call(`PUT /v1/embedders/${json.embedderId}`, { endpointUrl: `${standIn.url}/v1` });
      for (const use of [ask, processed]) {
        const before = standIn.requests.length;
        await use();
        expect(standIn.requests.length).toBe(before + 1);
      }
    }
  } finally {
    await one.close();
    await other.close();
  }
});
