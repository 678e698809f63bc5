import { expect, test } from 'vitest';
import { canonicalUrl } from '../../../../../src/server/service/targets/target-fingerprint.ts';

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
