import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAiStandIn } from '../support/stand-ins/openai.ts';
import type { Json } from '../support/wire.ts';
import type { Client } from './client.ts';
import type { Expected } from './expected.ts';
import { OPENAI_DIMENSIONS, PROVIDER_SECRET } from './secrets.ts';

type Filled = Pick<Expected, 'openAiEmbedderId' | 'keys' | 'unfinished'> & {
  paths: string[];
  memoryIds: string[];
  requests: Json[];
};

const FAR_FUTURE = Date.UTC(2100, 0, 1);
const DOCUMENT = `The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.`;

/** Puts a bit of everything into a new server. */
export async function fill(root: Client, rootKey: string, standIn: OpenAiStandIn): Promise<Filled> {
  const create = (path: string, body: Json) => root.send('POST', path, body);
  const admin = await create('/v1/users', { email: 'admin@example.org', displayName: 'Admin', role: 'ADMIN' });
  const ada = await create('/v1/users', { email: 'Ada@example.org', displayName: 'Ada Ł.', username: 'ada' });

  const builtin = await create('/v1/embedders', {
    displayName: 'Words',
    providerType: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    dimensionality: 32,
    labels: { default: 'true' },
  });
  const openAi = await create('/v1/embedders', {
    displayName: 'Small text',
    description: 'With a sealed secret',
    providerType: 'OPENAI',
    endpointUrl: `${standIn.url}/v1`,
    modelIdentifier: 'text-small',
    dimensionality: OPENAI_DIMENSIONS,
    credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: PROVIDER_SECRET } },
  });

  const space = (body: Json) => create('/v1/spaces', { embedderId: builtin.embedderId, ...body });
  const recursive = { chunkSize: 60, chunkOverlap: 20, separators: ['\n\n', '. '], keepStrategy: 'KEEP_START' };
  const spaces = {
    plain: await create('/v1/spaces', { name: 'default everything' }),
    recursive: await space({ name: 'recursive', labels: { team: 'home' }, defaultChunkingConfig: { recursive } }),
    sentence: await space({
      name: 'sentence',
      publicRead: true,
      ownerId: ada.userId,
      retentionDays: 36_500,
      defaultChunkingConfig: { sentence: { maxChunkSize: 80, minChunkSize: 20, enableLanguageDetection: true } },
    }),
    none: await space({ name: 'none', description: 'One chunk each', defaultChunkingConfig: { none: {} } }),
    both: await create('/v1/spaces', {
      name: 'two embedders',
      ownerId: admin.userId,
      spaceEmbedders: [
        { embedderId: openAi.embedderId, defaultRetrievalWeight: 0.75 },
        { embedderId: builtin.embedderId, defaultRetrievalWeight: -0.25 },
      ],
    }),
  };

  const key = async (body: Json) => (await create('/v1/apikeys', body)) as Json;
  const inactive = await key({ userId: ada.userId, labels: { purpose: 'switched off' } });
  await root.send('PUT', `/v1/apikeys/${inactive.apiKeyMetadata.apiKeyId}`, { status: 'INACTIVE' });
  const restrictions = { readOnly: true, spaceIds: [spaces.plain.spaceId] };
  const made = {
    root: { raw: rootKey, status: 200, email: (await root.get('/v1/users/me')).email as string },
    admin: { raw: (await key({ userId: admin.userId })).rawApiKey, status: 200, email: 'admin@example.org' },
    ada: {
      raw: (await key({ userId: ada.userId, expiresAt: FAR_FUTURE, labels: { purpose: 'ci' } })).rawApiKey,
      status: 200,
      email: ada.email as string,
    },
    restricted: { raw: (await key({ restrictions })).rawApiKey, status: 403, email: null },
    inactive: { raw: inactive.rawApiKey, status: 401, email: null },
  };

  const memory = (spaceId: string, body: Json) =>
    create('/v1/memories?waitMs=30000', { spaceId, contentType: 'text/plain', originalContent: DOCUMENT, ...body });
  const metadata = { room: 'cellar', tags: ['heating', 'ölig'], nested: { deep: [1, null, { x: 1.5 }] }, year: 2026 };
  const memories: Json[] = [];
  for (const { spaceId } of Object.values(spaces)) memories.push(await memory(spaceId, { metadata }));
  memories.push(
    await memory(spaces.plain.spaceId, { contentType: 'text/html', originalContent: '<p>Ein <b>Absatz</b></p>' }),
    await memory(spaces.plain.spaceId, { originalContent: 'nul \0 inside', originalContentRef: 'notes/nul.txt' }),
    await memory(spaces.plain.spaceId, { originalContent: '', expiresAt: FAR_FUTURE }),
    await memory(spaces.plain.spaceId, {
      originalContent: 'own config '.repeat(20),
      chunkingConfig: { recursive: { chunkSize: 40 } },
    }),
    await memory(spaces.plain.spaceId, { contentType: 'application/x-thing', originalContent: 'cannot be read' }),
  );
  return {
    openAiEmbedderId: openAi.embedderId,
    keys: made,
    unfinished: await leaveUnfinished(root, standIn, spaces.both.spaceId),
    paths: [
      ...[admin, ada].map(({ userId }) => `/v1/users/${userId}`),
      ...[builtin, openAi].map(({ embedderId }) => `/v1/embedders/${embedderId}`),
      ...Object.values(spaces).map(({ spaceId }) => `/v1/spaces/${spaceId}`),
      `/v1/apikeys/${inactive.apiKeyMetadata.apiKeyId}`,
    ],
    memoryIds: memories.map(({ memoryId }) => memoryId),
    requests: [
      { message: 'boiler pressure', spaceKeys: Object.values(spaces).map(({ spaceId }) => ({ spaceId })) },
      {
        message: 'insulation of the attic',
        spaceKeys: [{ spaceId: spaces.recursive.spaceId, filter: `CAST(val('$.room') AS TEXT) = 'cellar'` }],
      },
    ],
  };
}

/** One memory whose provider is away, and one that a worker is at until the server is killed. */
async function leaveUnfinished(root: Client, standIn: OpenAiStandIn, spaceId: string): Promise<Expected['unfinished']> {
  const leave = async (text: string, status: string) => {
    const body = { spaceId, contentType: 'text/plain', originalContent: text };
    const { memoryId } = await root.send('POST', '/v1/memories', body);
    const reached = async () => {
      const { processingStatus, processingHistory } = await root.get(
        `/v1/memories/${memoryId}?includeProcessingHistory=true`,
      );
      return processingStatus === status && processingHistory.attempts.length === 1;
    };
    while (!(await reached())) await sleep(50);
    return { memoryId, status, text };
  };
  standIn.always({ kind: 'status', status: 503, headers: { 'retry-after': '60' } });
  const pending = await leave('The provider was away when this came.', 'PENDING');
  standIn.always({ kind: 'hang' });
  return [pending, await leave('The server was killed over this.', 'PROCESSING')];
}
