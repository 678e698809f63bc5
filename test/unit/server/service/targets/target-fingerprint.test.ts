import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { embedderKind, llmKind } from '../../../../../src/server/service/targets/kinds.ts';
import { canonicalUrl, withTargetFingerprint } from '../../../../../src/server/service/targets/target-fingerprint.ts';

const TARGET = {
  providerType: 'OPENAI',
  endpointUrl: 'https://Models.example.org:443/v1/',
  apiPath: '/call',
  modelIdentifier: 'small',
  credentialFingerprint: 'c0ffee',
};
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

test('the digest of an embedder equals that of existing databases', () => {
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

test.each([
  ['https://models.example.org/v1/', 'https://models.example.org/v1'],
  ['https://Models.Example.ORG:443/v1', 'https://models.example.org/v1'],
  ['HTTP://models.example.org:80', 'http://models.example.org'],
  ['http://models.example.org/', 'http://models.example.org'],
  ['http://models.example.org:8080/', 'http://models.example.org:8080'],
  ['https://[FE80::1]:443/a', 'https://[fe80::1]/a'],
])('%s is the same as %s', (url, canonical) => {
  expect(canonicalUrl(url)).toBe(canonical);
  expect(canonicalUrl(canonical)).toBe(canonical);
});

test.each([
  ['https://example.org/V1', 'https://example.org/v1'],
  ['https://example.org:80', 'https://example.org'],
  ['http://example.org', 'https://example.org'],
  ['https://example.org/a?b=1', 'https://example.org/a?b=2'],
  // The address called is the URL and the path behind it: two slashes there are another address than one.
  ['https://example.org/a//', 'https://example.org/a'],
])('%s is another target than %s', (one, other) => {
  expect(canonicalUrl(one)).not.toBe(canonicalUrl(other));
});
