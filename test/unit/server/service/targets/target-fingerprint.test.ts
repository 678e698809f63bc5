import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { embedderKind, llmKind } from '../../../../../src/server/service/targets/kinds.ts';
import { withTargetFingerprint } from '../../../../../src/server/service/targets/target-fingerprint.ts';

const TARGET = {
  providerType: 'OPENAI',
  endpointUrl: 'https://Models.example.org:443/v1/',
  apiPath: '/call',
  modelIdentifier: 'small',
  credentialFingerprint: 'c0ffee',
};
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

test('the digest of an embedder stays what databases hold', () => {
  const own = embedderKind.identity({ dimensionality: 8, distributionType: 'DENSE', maxSequenceLength: 5 });
  expect(withTargetFingerprint(TARGET, own)).toEqual({
    ...TARGET,
    targetFingerprint: digest('["OPENAI","https://models.example.org/v1","/call","small",8,"DENSE","c0ffee"]'),
  });
});

test('capabilities, sampling parameters and the like do not make another LLM', () => {
  const own = llmKind.identity({
    capabilities: {},
    defaultSamplingParams: { topK: 1 },
    maxContextLength: 5,
    clientConfig: { a: 1 },
  });
  expect(withTargetFingerprint(TARGET, own).targetFingerprint).toBe(
    digest('["OPENAI","https://models.example.org/v1","/call","small","c0ffee"]'),
  );
});
