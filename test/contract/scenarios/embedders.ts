import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.ts';

const openai = (more: object = {}) => ({
  displayName: 'Small text',
  providerType: 'OPENAI',
  endpointUrl: `http://models.example.org/${unique('v')}`,
  modelIdentifier: 'text-small',
  dimensionality: 1536,
  ...more,
});
const secret = (inlineSecret: string) => ({ kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret } });

export const embedders: readonly Scenario[] = [
  {
    name: 'create fills in the defaults and never shows a credential',
    async run(stage) {
      const request = openai({ credentials: secret('sk-very-secret'), maxSequenceLength: 8192 });
      const created = await stage.ok('createEmbedder', request);
      expect(created).toEqual({
        embedderId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        displayName: 'Small text',
        description: '',
        providerType: 'OPENAI',
        endpointUrl: request.endpointUrl,
        apiPath: '/embeddings',
        modelIdentifier: 'text-small',
        dimensionality: 1536,
        distributionType: 'DENSE',
        maxSequenceLength: 8192,
        supportedModalities: ['TEXT'],
        labels: {},
        version: '',
        monitoringEndpoint: '',
        ownerId: stage.root.userId,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        createdById: stage.root.userId,
        updatedById: stage.root.userId,
      });
      expect(await stage.ok('getEmbedder', { embedderId: created.embedderId })).toEqual(created);
      const logs = JSON.stringify(stage.server.logs);
      expect(logs).not.toContain('sk-very-secret');
    },
  },
  {
    name: 'the call paths of the providers',
    async run(stage) {
      const paths = { OPENAI: '/embeddings', VLLM: '/embeddings', LLAMA_CPP: '/embeddings', TEI: '/embed' };
      for (const [providerType, apiPath] of Object.entries(paths)) {
        expect((await stage.ok('createEmbedder', openai({ providerType }))).apiPath).toBe(apiPath);
      }
      expect((await stage.ok('createEmbedder', openai({ apiPath: '/own' }))).apiPath).toBe('/own');
    },
  },
  {
    name: 'BUILTIN needs no address, has a default size and one model',
    async run(stage) {
      const ada = await stage.person();
      const builtin = { displayName: 'words', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1' };
      const created = await stage.ok('createEmbedder', builtin, ada.key);
      expect(created).toMatchObject({ dimensionality: 1024, ownerId: ada.userId });
      const wrong = { ...builtin, modelIdentifier: 'other' };
      await stage.refused('createEmbedder', wrong, 'INVALID_ARGUMENT', { details: 'modelIdentifier' });
    },
  },
  {
    name: 'bad fields are refused with their names',
    async run(stage) {
      const cases: [object, string][] = [
        [{ displayName: '' }, 'displayName'],
        [{ displayName: 'x'.repeat(256) }, 'displayName'],
        [{ endpointUrl: undefined }, 'endpointUrl'],
        [{ endpointUrl: 'ftp://x' }, 'endpointUrl'],
        [{ endpointUrl: 'not a url' }, 'endpointUrl'],
        [{ endpointUrl: 'http://169.254.169.254/latest' }, 'endpointUrl'],
        [{ endpointUrl: 'http://[fe80::1]/v1' }, 'endpointUrl'],
        [{ dimensionality: undefined }, 'dimensionality'],
        [{ dimensionality: 0 }, 'dimensionality'],
        [{ dimensionality: 16_001 }, 'dimensionality'],
        [{ maxSequenceLength: 0 }, 'maxSequenceLength'],
        [{ providerType: 'NOBODY' }, 'providerType'],
        [{ credentials: {} }, 'credentials'],
        [{ credentials: { kind: 'CREDENTIAL_KIND_GCP_ADC', apiKey: { inlineSecret: 'x' } } }, 'credentials'],
        [{ credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: {} } }, 'credentials'],
        [
          { credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef: { uri: 'ftp://x' } } } },
          'credentials',
        ],
      ];
      for (const [more, details] of cases) {
        await stage.refused('createEmbedder', openai(more), 'INVALID_ARGUMENT', { details });
      }
      await stage.refused('createEmbedder', openai({ distributionType: 'SPARSE' }), 'UNIMPLEMENTED');
      await stage.refused('createEmbedder', openai({ providerType: 'UNSPECIFIED' }), 'INVALID_ARGUMENT');
    },
  },
  {
    name: 'a reference to a secret of the server needs more than an inline one',
    async run(stage) {
      const ada = await stage.person();
      const reference = { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef: { uri: 'env://HOME' } } };
      const request = openai({ credentials: reference });
      await stage.refused('createEmbedder', request, 'PERMISSION_DENIED', { as: ada.key });
      await stage.ok('createEmbedder', request);
      const own = await stage.ok('createEmbedder', openai({ credentials: secret('a') }), ada.key);
      const update = { embedderId: own.embedderId, credentials: reference };
      await stage.refused('updateEmbedder', update, 'PERMISSION_DENIED', { as: ada.key });
    },
  },
  {
    name: 'the owner of an embedder cannot send a secret of the server somewhere else',
    async run(stage) {
      const ada = await stage.person();
      const credentials = { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef: { uri: 'env://HOME' } } };
      const { embedderId } = await stage.ok('createEmbedder', openai({ credentials, ownerId: ada.userId }));
      const redirect = { embedderId, endpointUrl: 'https://elsewhere.example.org/v1' };
      await stage.refused('updateEmbedder', redirect, 'PERMISSION_DENIED', { as: ada.key });
      await stage.ok('updateEmbedder', { embedderId, displayName: 'renamed' }, ada.key);
      await stage.ok('updateEmbedder', { ...redirect, credentials: secret('own') }, ada.key);
    },
  },
  {
    name: 'a duplicate is found behind spelling; another credential makes another target',
    async run(stage) {
      const host = `${unique('h')}.example.org`;
      const request = openai({ endpointUrl: `https://${host}/v1`, credentials: secret('one') });
      await stage.ok('createEmbedder', request);
      await stage.refused('createEmbedder', request, 'ALREADY_EXISTS');
      const spelled = { ...request, endpointUrl: `https://${host.toUpperCase()}:443/v1/` };
      await stage.refused('createEmbedder', spelled, 'ALREADY_EXISTS');
      await stage.ok('createEmbedder', { ...request, credentials: secret('two') });
      await stage.ok('createEmbedder', { ...request, dimensionality: 8 });
      const ada = await stage.person();
      await stage.ok('createEmbedder', request, ada.key);
    },
  },
  {
    name: 'an id may be given, once',
    async run(stage) {
      const embedderId = randomUUID();
      expect((await stage.ok('createEmbedder', openai({ embedderId }))).embedderId).toBe(embedderId);
      await stage.refused('createEmbedder', openai({ embedderId }), 'ALREADY_EXISTS');
    },
  },
  {
    name: 'update changes what is given and keeps the rest',
    async run(stage) {
      const before = await stage.ok('createEmbedder', openai({ labels: { a: 'b' }, maxSequenceLength: 5 }));
      const { embedderId } = before;
      expect(await stage.ok('updateEmbedder', { embedderId })).toEqual(before);
      expect(await stage.ok('updateEmbedder', { embedderId, supportedModalities: [] })).toMatchObject({
        supportedModalities: ['TEXT'],
      });
      const changes = { displayName: 'New', description: 'd', version: '2', modelIdentifier: 'm2', apiPath: '/p' };
      const after = await stage.ok('updateEmbedder', { embedderId, ...changes, mergeLabels: { c: 'd' } });
      expect(after).toEqual({ ...before, ...changes, labels: { a: 'b', c: 'd' }, updatedAt: after.updatedAt });
      expect((await stage.ok('updateEmbedder', { embedderId, replaceLabels: {} })).labels).toEqual({});
      const fixed: [object, string][] = [
        [{ providerType: 'VLLM' }, 'providerType'],
        [{ ownerId: randomUUID() }, 'ownerId'],
        [{ credentials: {} }, 'credentials'],
      ];
      for (const [more, details] of fixed) {
        await stage.refused('updateEmbedder', { embedderId, ...more }, 'INVALID_ARGUMENT', { details });
      }
    },
  },
  {
    name: 'while a space uses it, what its vectors depend on stays, and so does it',
    async run(stage) {
      const { embedderId } = await stage.ok('createEmbedder', openai());
      const { spaceId } = await stage.space({ embedderId });
      for (const more of [{ modelIdentifier: 'm2' }, { dimensionality: 3 }]) {
        await stage.refused('updateEmbedder', { embedderId, ...more }, 'FAILED_PRECONDITION');
      }
      await stage.ok('updateEmbedder', { embedderId, displayName: 'fine' });
      await stage.refused('deleteEmbedder', { embedderId }, 'FAILED_PRECONDITION');
      await stage.ok('deleteSpace', { spaceId });
      await stage.ok('updateEmbedder', { embedderId, dimensionality: 3 });
      await stage.ok('deleteEmbedder', { embedderId });
      for (const operation of ['getEmbedder', 'updateEmbedder', 'deleteEmbedder'] as const) {
        const message = `Embedder not found: ${embedderId}`;
        await stage.refused(operation, { embedderId }, 'NOT_FOUND', { message });
      }
    },
  },
  {
    name: 'targets of root and admins are shared, those of users are not',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const admin = await stage.person('ADMIN');
      const mark = { mark: unique('m') };
      const make = async (key: string) => (await stage.ok('createEmbedder', openai({ labels: mark }), key)).embedderId;
      const [adas, bobs, admins] = [await make(ada.key), await make(bob.key), await make(admin.key)];
      await stage.ok('getEmbedder', { embedderId: admins }, ada.key);
      await stage.refused('getEmbedder', { embedderId: bobs }, 'PERMISSION_DENIED', { as: ada.key });
      await stage.refused('updateEmbedder', { embedderId: admins }, 'PERMISSION_DENIED', { as: ada.key });
      await stage.refused('deleteEmbedder', { embedderId: admins }, 'PERMISSION_DENIED', { as: ada.key });
      const list = async (key: string, more: object = {}) => {
        const { embedders: found } = await stage.ok('listEmbedders', { label: mark, ...more }, key);
        return found.map((embedder: Json) => embedder.embedderId);
      };
      expect(await list(ada.key)).toEqual([admins, adas]);
      expect(await list(stage.root.key)).toEqual([admins, bobs, adas]);
      expect(await list(ada.key, { ownerId: ada.userId })).toEqual([adas]);
      expect(await list(stage.root.key, { ownerId: bob.userId })).toEqual([bobs]);
      expect(await list(ada.key, { providerType: 'TEI' })).toEqual([]);
      const foreign = openai({ ownerId: bob.userId });
      await stage.refused('createEmbedder', foreign, 'PERMISSION_DENIED', { as: ada.key });
    },
  },
];
