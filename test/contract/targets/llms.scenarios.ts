import { expect } from 'vitest';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';
import { makeTarget, targetRequest } from './target-area.fixture.ts';
import { LLMS } from './target-areas.ts';
import { targetScenarios } from './targets.scenarios.ts';

const GIVEN = {
  supportsChat: false,
  supportsCompletion: true,
  supportsFunctionCalling: false,
  supportsSystemMessages: false,
  supportsStreaming: false,
  supportsSamplingParameters: false,
};
const SAMPLING = {
  maxTokens: 500,
  temperature: 0,
  topP: 0.5,
  topK: 40,
  frequencyPenalty: -2,
  presencePenalty: 2,
  stopSequences: ['END', 'x'.repeat(100)],
};
const CONFIG = { reasoning_effort: 'low', options: { seed: 7, tags: ['a', null] } };

/** Requests that every write refuses, with the field that they must name. */
const BAD_FIELDS: readonly (readonly [object, string])[] = [
  [{ maxContextLength: 0 }, 'maxContextLength: '],
  [{ defaultSamplingParams: { maxTokens: 0 } }, 'defaultSamplingParams.maxTokens: '],
  [{ defaultSamplingParams: { temperature: 2.1 } }, 'defaultSamplingParams.temperature: '],
  [{ defaultSamplingParams: { temperature: -0.1 } }, 'defaultSamplingParams.temperature: '],
  [{ defaultSamplingParams: { topP: 1.01 } }, 'defaultSamplingParams.topP: '],
  [{ defaultSamplingParams: { topK: 0 } }, 'defaultSamplingParams.topK: '],
  [{ defaultSamplingParams: { frequencyPenalty: -2.5 } }, 'defaultSamplingParams.frequencyPenalty: '],
  [{ defaultSamplingParams: { presencePenalty: 3 } }, 'defaultSamplingParams.presencePenalty: '],
  [{ defaultSamplingParams: { stopSequences: Array(11).fill('x') } }, 'defaultSamplingParams.stopSequences: '],
  [{ defaultSamplingParams: { stopSequences: ['x'.repeat(101)] } }, 'defaultSamplingParams.stopSequences[0]: '],
  [{ defaultSamplingParams: { heat: 1 } }, 'defaultSamplingParams.heat: unknown field'],
  [{ capabilities: { supportsFlight: true } }, 'capabilities.supportsFlight: unknown field'],
  [{ capabilities: { supportsChat: 'perhaps' } }, 'capabilities.supportsChat: '],
  [{ clientConfig: 'x' }, 'clientConfig: '],
  [{ clientConfig: { text: 'a\0b' } }, 'clientConfig.text: '],
  [{ clientConfig: { text: 'x'.repeat(65_536) } }, 'clientConfig: '],
];

export const llms: readonly Scenario[] = [
  ...targetScenarios(LLMS),
  {
    name: 'each capability that is left out is inferred, and reported',
    async run(stage) {
      const told = async (more: object) => {
        const { llm, statuses } = await stage.ok('createLLM', targetRequest(LLMS, more));
        return { capabilities: llm.capabilities, told: statuses.map((status: Json) => status.details) };
      };
      const { supportsStreaming: _, ...rest } = GIVEN;
      expect(await told({ capabilities: GIVEN })).toEqual({ capabilities: GIVEN, told: [] });
      expect(await told({ capabilities: rest })).toEqual({
        capabilities: { ...GIVEN, supportsStreaming: true },
        told: [{ capability: 'supportsStreaming', value: 'true' }],
      });
      const names = Object.keys(GIVEN);
      const reasoning = await told({ modelIdentifier: 'openai/o3-mini' });
      expect(reasoning.capabilities).toMatchObject({ supportsChat: true, supportsSamplingParameters: false });
      expect(reasoning.told).toEqual(
        names.map((capability) => ({ capability, value: String(reasoning.capabilities[capability]) })),
      );
      const { statuses } = await stage.ok('createLLM', targetRequest(LLMS, { capabilities: {} }));
      expect(statuses).toHaveLength(6);
      expect(statuses[0]).toEqual({
        code: 'LLM_CAPABILITY_INFERRED',
        message: 'supportsChat inferred from the model',
        details: { capability: 'supportsChat', value: 'true' },
      });
    },
  },
  {
    name: 'given fields are returned unchanged, and no others',
    async run(stage) {
      const given = { defaultSamplingParams: SAMPLING, maxContextLength: 32_768, clientConfig: CONFIG };
      expect(await makeTarget(stage, LLMS, given)).toMatchObject(given);
      const some = { defaultSamplingParams: { topP: 0.9 }, clientConfig: {} };
      const record = await makeTarget(stage, LLMS, some);
      expect(record.defaultSamplingParams).toEqual({ topP: 0.9 });
      expect(record.clientConfig).toEqual({});
      expect(record).not.toHaveProperty('maxContextLength');
    },
  },
  {
    name: 'an update replaces whole objects',
    async run(stage) {
      const given = {
        capabilities: GIVEN,
        defaultSamplingParams: SAMPLING,
        maxContextLength: 100,
        clientConfig: CONFIG,
      };
      const before = await makeTarget(stage, LLMS, given);
      const { llmId } = before;
      const update = (more: object) => stage.ok('updateLLM', { llmId, ...more });
      expect(await update({ displayName: 'kept', modelIdentifier: 'o3' })).toMatchObject(given);
      const inferred = await update({ capabilities: { supportsChat: false } });
      expect(inferred.capabilities).toEqual({
        ...(LLMS.fresh.capabilities as object),
        supportsChat: false,
        supportsSamplingParameters: false,
      });
      const { capabilities } = await update({ capabilities: {}, modelIdentifier: 'm' });
      expect(capabilities).toEqual(LLMS.fresh.capabilities);
      const { defaultSamplingParams } = await update({ defaultSamplingParams: { topK: 3 } });
      expect(defaultSamplingParams).toEqual({ topK: 3 });
      expect((await update({ defaultSamplingParams: {} })).defaultSamplingParams).toEqual({});
      expect((await update({ clientConfig: { user: 'me' } })).clientConfig).toEqual({ user: 'me' });
      const last = await update({ clientConfig: {}, maxContextLength: 7 });
      expect(last).toMatchObject({ clientConfig: {}, maxContextLength: 7 });
      expect(await stage.ok('getLLM', { llmId })).toEqual(last);
    },
  },
  {
    name: 'numbers and names out of range are refused',
    async run(stage) {
      const { llmId } = await makeTarget(stage, LLMS);
      for (const [more, details] of BAD_FIELDS) {
        await stage.refused('createLLM', targetRequest(LLMS, more), 'INVALID_ARGUMENT', { details });
        await stage.refused('updateLLM', { llmId, ...more }, 'INVALID_ARGUMENT', { details });
      }
    },
  },
];
