import { createdAt, HOSTILE, id, LONG, ME, updatedAt, WIDE } from './values.fixture.ts';

const target = (more: object) => ({
  displayName: 'Small',
  description: LONG,
  endpointUrl: 'http://models.lan:8080',
  apiPath: '/embed',
  modelIdentifier: 'BAAI/bge-small-en-v1.5',
  supportedModalities: [1, 2],
  labels: { default: 'true', team: 'home' },
  version: '2026-01',
  monitoringEndpoint: 'https://grafana.lan/d/models',
  ownerId: ME,
  createdAt,
  updatedAt,
  ...more,
});
const wideTarget = {
  displayName: WIDE,
  modelIdentifier: 'a-model-with-a-name/that-goes-on-and-on-and-on-v2',
  labels: {},
};
const hostileTarget = {
  displayName: HOSTILE,
  description: '',
  modelIdentifier: 'lexical-v1',
  endpointUrl: '',
  apiPath: '',
};

export const embedders = [
  target({ embedderId: id('c1'), providerType: 3, dimensionality: 384, distributionType: 1, maxSequenceLength: 512 }),
  target({ ...wideTarget, embedderId: id('c2'), providerType: 1, dimensionality: 3072, distributionType: 1 }),
  target({ ...hostileTarget, embedderId: id('c3'), providerType: 10, dimensionality: 1024, distributionType: 1 }),
];
const capabilities = {
  supportsChat: true,
  supportsCompletion: false,
  supportsFunctionCalling: true,
  supportsSystemMessages: true,
  supportsStreaming: true,
  supportsSamplingParameters: true,
};
export const llms = [
  target({
    llmId: id('d1'),
    providerType: 5,
    apiPath: '/chat/completions',
    modelIdentifier: 'llama3.1',
    maxContextLength: 131_072,
    capabilities,
    defaultSamplingParams: { maxTokens: 800, temperature: 0.2, topP: 0.9, stopSequences: ['\n\n'] },
    clientConfig: { keep_alive: '5m' },
  }),
  target({ ...wideTarget, llmId: id('d2'), providerType: 7, capabilities: { supportsChat: true } }),
  target({ ...hostileTarget, llmId: id('d3'), providerType: 1 }),
];
export const rerankers = [
  target({ rerankerId: id('e1'), providerType: 3, apiPath: '/rerank', modelIdentifier: 'bge-reranker-base' }),
  target({ ...wideTarget, rerankerId: id('e2'), providerType: 7 }),
  target({ ...hostileTarget, rerankerId: id('e3'), providerType: 6 }),
];
