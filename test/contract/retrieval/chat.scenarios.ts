import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ChatStandIn } from '../../support/stand-ins/chat.ts';
import type { Scenario } from '../scenario.fixture.ts';
import { expectWhole, FACTS, facts, kinds, library, statuses, texts } from './library.fixture.ts';

const CHAT = 'com.service.retrieval.postprocess.ChatPostProcessorFactory';

export const chat: readonly Scenario[] = [
  {
    name: 'without llm_id: FEATURE_DISABLED first, newest first, by either name',
    async run(stage) {
      const spaceId = await library(stage, facts);
      for (const postProcessor of [{}, { name: CHAT }, { name: 'ChatPostProcessorFactory', config: {} }]) {
        const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor };
        const events = await stage.events('retrieveMemory', request);
        expectWhole(events);
        expect(events[0]).toEqual({
          status: {
            code: 'FEATURE_DISABLED',
            message: expect.any(String),
            details: { feature: 'summarization', required_param: 'llm_id' },
          },
        });
        expect(statuses(events)).toHaveLength(1);
        expect(texts(events)).toEqual([...FACTS].reverse());
      }
    },
  },
  {
    name: 'chronological_resort false keeps the order of the search',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const config = { chronological_resort: false, max_results: 1 };
      const request = { message: 'boiler in the cellar', spaceKeys: [{ spaceId }], postProcessor: { config } };
      expect(texts(await stage.events('retrieveMemory', request))).toEqual([FACTS[0]]);
    },
  },
  {
    name: 'an invalid config is reported in statuses, and the defaults are used',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const config = {
        llmId: randomUUID(),
        llm_temp: 2.5,
        max_results: 0,
        gen_token_budget: -1,
        chronological_resort: 'perhaps',
        relevance_threshold: 'high',
        reranker_id: 'no-uuid',
        sys_prompt: 5,
      };
      const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor: { config } };
      const events = await stage.events('retrieveMemory', request);
      expectWhole(events);
      const said = statuses(events);
      expect(said[0].code).toBe('FEATURE_DISABLED');
      const invalid = said.filter((status) => status.code === 'INVALID_ARGUMENT');
      expect(invalid.map((status) => status.details.param).sort()).toEqual(Object.keys(config).sort());
      for (const status of invalid) expect(status.details.reason).toMatch(/\S/);
      expect(texts(events)).toHaveLength(3);
    },
  },
  {
    name: 'a reranker and an LLM that do not exist',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const ask = async (config: object) => {
        const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor: { config } };
        const events = await stage.events('retrieveMemory', request);
        expectWhole(events);
        expect(texts(events)).toHaveLength(3);
        expect(kinds(events)).not.toContain('abstractReply');
        // Whatever is told, it is told before the first result.
        expect(kinds(events).lastIndexOf('status')).toBeLessThan(kinds(events).indexOf('resultSetBoundary'));
        return statuses(events).map(({ code, details }) => [code, Object.keys(details)[0], Object.values(details)[0]]);
      };
      const [reranker_id, llm_id] = [randomUUID(), randomUUID()];
      const noReranker = ['NOT_FOUND', 'reranker_id', reranker_id];
      const failed = ['RERANKING_FAILED', 'reranker_id', reranker_id];
      const noLlm = ['NOT_FOUND', 'llm_id', llm_id];
      const disabled = ['FEATURE_DISABLED', 'feature', 'summarization'];
      expect(await ask({ reranker_id, relevance_threshold: 0.99 })).toEqual([disabled, noReranker, failed]);
      expect(await ask({ llm_id })).toEqual([noLlm]);
      expect((await ask({ llm_id, reranker_id })).sort()).toEqual([noLlm, noReranker, failed].sort());
    },
  },
  {
    name: 'a client that aborts during the LLM call cancels it',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const chat = await ChatStandIn.start();
      chat.always({ kind: 'hang' });
      const fields = { displayName: 'c', providerType: 'VLLM', modelIdentifier: 'm', endpointUrl: chat.endpointUrl };
      const { llm } = await stage.ok('createLLM', fields);
      const leaving = new AbortController();
      const postProcessor = { config: { llm_id: llm.llmId } };
      const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor };
      const options = { key: stage.caller.key, signal: leaving.signal };
      const left = stage.wire.call('retrieveMemory', request, options).catch(() => undefined);
      await chat.received(1);
      leaving.abort();
      await chat.left(1);
      await left;
      await chat.close();
    },
  },
];
