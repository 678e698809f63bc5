import { expect } from 'vitest';
import type { Scenario } from '../scenario.fixture.ts';
import { makeTarget, targetRequest } from './target-area.fixture.ts';
import { EMBEDDERS } from './target-areas.ts';
import { targetScenarios } from './targets.scenarios.ts';

const BUILTIN = { displayName: 'words', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1' };

export const embedders: readonly Scenario[] = [
  ...targetScenarios(EMBEDDERS),
  {
    name: 'dimensions and maxSequenceLength have limits',
    async run(stage) {
      const cases: [object, string][] = [
        [{ dimensionality: undefined }, 'dimensionality: is required'],
        [{ dimensionality: 0 }, 'dimensionality: '],
        [{ dimensionality: 16_001 }, 'dimensionality: '],
        [{ maxSequenceLength: 0 }, 'maxSequenceLength: '],
        [{ distributionType: 'WIDE' }, 'distributionType: '],
      ];
      for (const [more, details] of cases) {
        await stage.refused('createEmbedder', targetRequest(EMBEDDERS, more), 'INVALID_ARGUMENT', { details });
      }
      const request = targetRequest(EMBEDDERS, { dimensionality: 16_000, maxSequenceLength: 8192 });
      const created = await stage.ok('createEmbedder', request);
      expect(created).toMatchObject({ dimensionality: 16_000, maxSequenceLength: 8192 });
      const { embedderId } = created;
      expect(await stage.ok('updateEmbedder', { embedderId, maxSequenceLength: 5 })).toMatchObject({
        maxSequenceLength: 5,
      });
      // The length makes another target.
      await stage.refused('createEmbedder', request, 'ALREADY_EXISTS');
      await stage.ok('createEmbedder', { ...request, dimensionality: 8 });
    },
  },
  {
    name: 'SPARSE and ONNX are UNIMPLEMENTED, and a model directory needs the _ANY permission',
    async run(stage) {
      const { embedderId } = await makeTarget(stage, EMBEDDERS);
      const sparse = { distributionType: 'SPARSE' };
      await stage.refused('createEmbedder', targetRequest(EMBEDDERS, sparse), 'UNIMPLEMENTED');
      await stage.refused('updateEmbedder', { embedderId, ...sparse }, 'UNIMPLEMENTED');
      const onnx = targetRequest(EMBEDDERS, { providerType: 'ONNX', endpointUrl: 'file:///models/small' });
      await stage.refused('createEmbedder', onnx, 'UNIMPLEMENTED');
      const ada = await stage.person();
      await stage.refused('createEmbedder', onnx, 'PERMISSION_DENIED', { as: ada.key });
    },
  },
  {
    name: 'BUILTIN needs no address, has a default size and one model',
    async run(stage) {
      const ada = await stage.person();
      const created = await stage.ok('createEmbedder', BUILTIN, ada.key);
      expect(created).toMatchObject({ dimensionality: 1024, ownerId: ada.userId, endpointUrl: '', apiPath: '' });
      const foreign: [object, string][] = [
        [{ modelIdentifier: 'other' }, 'modelIdentifier: '],
        [{ endpointUrl: 'https://models.example.org' }, 'endpointUrl: '],
        [{ apiPath: '/embed' }, 'apiPath: '],
        [{ credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: 'x' } } }, 'credentials: '],
      ];
      for (const [more, details] of foreign) {
        await stage.refused('createEmbedder', { ...BUILTIN, ...more }, 'INVALID_ARGUMENT', { details });
        const update = { embedderId: created.embedderId, ...more };
        await stage.refused('updateEmbedder', update, 'INVALID_ARGUMENT', { details, as: ada.key });
      }
    },
  },
  {
    name: 'a default path that names the model follows it',
    async run(stage) {
      const gemini = { providerType: 'GEMINI', modelIdentifier: 'one' };
      const { embedderId } = await makeTarget(stage, EMBEDDERS, gemini);
      const rename = async (id: string, modelIdentifier: string) =>
        (await stage.ok('updateEmbedder', { embedderId: id, modelIdentifier })).apiPath;
      expect(await rename(embedderId, 'two')).toBe('/v1beta/models/two:batchEmbedContents');
      const own = await makeTarget(stage, EMBEDDERS, { ...gemini, apiPath: '/own' });
      expect(await rename(own.embedderId, 'two')).toBe('/own');
    },
  },
  {
    name: 'while a space uses it, it cannot be deleted and the fields that determine its vectors are immutable',
    async run(stage) {
      const { embedderId } = await makeTarget(stage, EMBEDDERS);
      const { spaceId } = await stage.space({ embedderId });
      const vectors = [{ modelIdentifier: 'm2' }, { dimensionality: 4 }, { distributionType: 'SPARSE' }];
      for (const more of vectors) {
        const details = `${Object.keys(more)[0]}: `;
        await stage.refused('updateEmbedder', { embedderId, ...more }, 'FAILED_PRECONDITION', { details });
      }
      await stage.ok('updateEmbedder', { embedderId, displayName: 'fine', modelIdentifier: 'm', dimensionality: 3 });
      await stage.refused('deleteEmbedder', { embedderId }, 'FAILED_PRECONDITION');
      await stage.ok('deleteSpace', { spaceId });
      await stage.ok('updateEmbedder', { embedderId, dimensionality: 4 });
      await stage.ok('deleteEmbedder', { embedderId });
    },
  },
];
