import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/shared/errors.ts';
import type { OperationKey } from '../../../src/shared/operations/table.ts';
import { type Stage, unique } from '../../support/stage.ts';
import type { Scenario } from '../scenario.fixture.ts';

/** A create that must fail, and with what. */
type Refused = readonly [request: object, code: ErrorCode];

interface Area {
  create: OperationKey;
  /** Shows all that there is. */
  list: OperationKey;
  listed: (stage: Stage) => Promise<object>;
  refused: (stage: Stage) => Promise<readonly Refused[]>;
}

const past = () => Date.now() - 1000;
const tooManyLabels = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']));
/** Nobody else's: an owner has each target once. */
const target = () => ({
  displayName: 'refused',
  modelIdentifier: unique('m'),
  endpointUrl: 'https://models.example.org/v1',
});

const AREAS: readonly Area[] = [
  {
    create: 'createApiKey',
    list: 'listApiKeys',
    listed: async () => ({}),
    refused: async (stage) => {
      const [first] = (await stage.ok('listApiKeys')).keys;
      return [
        [{ expiresAt: past() }, 'INVALID_ARGUMENT'],
        [{ labels: tooManyLabels }, 'INVALID_ARGUMENT'],
        [{ restrictions: { spaceIds: [randomUUID()] } }, 'NOT_FOUND'],
        [{ apiKeyId: first.apiKeyId }, 'ALREADY_EXISTS'],
        [{ userId: randomUUID() }, 'NOT_FOUND'],
      ];
    },
  },
  {
    create: 'createUser',
    list: 'listUsers',
    listed: async () => ({ maxResults: 500 }),
    refused: async (stage) => {
      const email = `${unique('taken')}@example.org`;
      const { userId } = await stage.ok('createUser', { email, displayName: 'taken' });
      return [
        [{ email: 'nobody', displayName: 'x' }, 'INVALID_ARGUMENT'],
        [{ email, displayName: 'x' }, 'ALREADY_EXISTS'],
        [{ email: `${unique('p')}@example.org`, displayName: 'x', userId }, 'ALREADY_EXISTS'],
        [{ email: `${unique('p')}@example.org`, displayName: 'x', role: 'ROOT' }, 'INVALID_ARGUMENT'],
      ];
    },
  },
  {
    create: 'createSpace',
    list: 'listSpaces',
    listed: async () => ({ maxResults: 500 }),
    refused: async (stage) => {
      const { name, spaceId } = await stage.space();
      const embedderId = await stage.embedder();
      return [
        [{ name: '', embedderId }, 'INVALID_ARGUMENT'],
        [{ name: unique('s'), embedderId, labels: tooManyLabels }, 'INVALID_ARGUMENT'],
        [{ name: unique('s'), embedderId: randomUUID() }, 'NOT_FOUND'],
        [{ name, embedderId }, 'ALREADY_EXISTS'],
        [{ name: unique('s'), embedderId, spaceId }, 'ALREADY_EXISTS'],
        [{ name: unique('s'), embedderId, ownerId: randomUUID() }, 'NOT_FOUND'],
      ];
    },
  },
  {
    create: 'createMemory',
    list: 'listMemories',
    listed: async (stage) => ({ spaceId: (await stage.space()).spaceId, maxResults: 500 }),
    refused: async (stage) => {
      const { memoryId } = await stage.memory();
      const text = { contentType: 'text/plain', originalContent: 'Refused.' };
      return [
        [{ ...text, contentType: 'nonsense' }, 'INVALID_ARGUMENT'],
        [{ ...text, expiresAt: past() }, 'INVALID_ARGUMENT'],
        [{ ...text, originalContentB64: 'eA==' }, 'INVALID_ARGUMENT'],
        [{ contentType: 'text/plain', originalContentB64: '???' }, 'INVALID_ARGUMENT'],
        [{ ...text, chunkingConfig: { recursive: { chunkSize: 0 } } }, 'INVALID_ARGUMENT'],
        [{ ...text, memoryId }, 'ALREADY_EXISTS'],
      ];
    },
  },
  {
    create: 'createEmbedder',
    list: 'listEmbedders',
    listed: async () => ({}),
    refused: async (stage) => {
      const good = { ...target(), providerType: 'OPENAI', dimensionality: 3 };
      return [
        [{ ...target(), providerType: 'OPENAI' }, 'INVALID_ARGUMENT'],
        [{ ...good, endpointUrl: 'ftp://x' }, 'INVALID_ARGUMENT'],
        [{ ...good, embedderId: await stage.embedder() }, 'ALREADY_EXISTS'],
        [{ ...good, ownerId: randomUUID() }, 'NOT_FOUND'],
      ];
    },
  },
  {
    create: 'createLLM',
    list: 'listLLMs',
    listed: async () => ({}),
    refused: async (stage) => {
      const good = { ...target(), providerType: 'OPENAI' };
      const { llmId } = (await stage.ok('createLLM', good)).llm;
      return [
        [{ ...good, providerType: 'SMELL' }, 'INVALID_ARGUMENT'],
        [{ ...good, llmId }, 'ALREADY_EXISTS'],
        [{ ...good, ownerId: randomUUID() }, 'NOT_FOUND'],
      ];
    },
  },
  {
    create: 'createReranker',
    list: 'listRerankers',
    listed: async () => ({}),
    refused: async (stage) => {
      const good = { ...target(), providerType: 'COHERE' };
      const { rerankerId } = await stage.ok('createReranker', good);
      return [
        [{ ...good, endpointUrl: 'not a url' }, 'INVALID_ARGUMENT'],
        [{ ...good, rerankerId }, 'ALREADY_EXISTS'],
        [{ ...good, ownerId: randomUUID() }, 'NOT_FOUND'],
      ];
    },
  },
];

export const refusedCreates: readonly Scenario[] = AREAS.map(({ create, list, listed, refused }) => ({
  name: `a refused ${create} leaves nothing behind`,
  async run(stage) {
    const within = await listed(stage);
    const attempts = await refused(stage);
    const before = await stage.ok(list, within as Record<string, unknown>);
    for (const [request, code] of attempts) {
      await stage.refused(create, { ...('spaceId' in within ? { spaceId: within.spaceId } : {}), ...request }, code);
    }
    expect(withoutUse(await stage.ok(list, within as Record<string, unknown>))).toEqual(withoutUse(before));
  },
}));

/** The key of the calls is used by them, and a record of keys says when. */
function withoutUse(list: object): unknown {
  return JSON.parse(JSON.stringify(list, (name, value: unknown) => (name === 'lastUsedAt' ? undefined : value)));
}
