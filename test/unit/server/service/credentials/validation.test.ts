import { describe, expect, it } from 'vitest';
import type { CredentialInput } from '../../../../../src/server/service/credentials/types.ts';
import { credentialViolations } from '../../../../../src/server/service/credentials/validation.ts';
import { apiKey, inline, reference } from './inputs.fixture.ts';

describe('validation', () => {
  it.each([
    inline('s'),
    inline('s', { headerName: 'x-api-key', prefix: '' }),
    reference('env://MY_TOKEN'),
    reference('file:///run/secrets/token'),
    {
      kind: 'CREDENTIAL_KIND_GCP_ADC',
      gcpAdc: { scopes: ['https://www.googleapis.com/auth/cloud-platform'], quotaProjectId: 'my-project' },
    },
    { ...inline('s'), labels: { team: '' } },
  ] satisfies CredentialInput[])('accepts %j', (input) => {
    expect(credentialViolations(input)).toEqual([]);
  });

  it.each([
    [{}, ['credentials.kind']],
    [{ kind: 'CREDENTIAL_KIND_UNSPECIFIED' }, ['credentials.kind']],
    [{ kind: 'CREDENTIAL_KIND_API_KEY' }, ['credentials.apiKey']],
    [{ kind: 'CREDENTIAL_KIND_GCP_ADC', apiKey: { inlineSecret: 's' } }, ['credentials.apiKey', 'credentials.gcpAdc']],
    [apiKey({}), ['credentials.apiKey']],
    [apiKey({ inlineSecret: 's', secretRef: { uri: 'env://A' } }), ['credentials.apiKey']],
    [inline(''), ['credentials.apiKey.inlineSecret']],
    [inline('a\r\nb'), ['credentials.apiKey.inlineSecret']],
    [inline('x'.repeat(8193)), ['credentials.apiKey.inlineSecret']],
    [inline('s', { headerName: 'a b' }), ['credentials.apiKey.headerName']],
    [inline('s', { headerName: '' }), ['credentials.apiKey.headerName']],
    [inline('s', { headerName: 'Content-Length' }), ['credentials.apiKey.headerName']],
    [inline('s', { prefix: 'Bearer\n' }), ['credentials.apiKey.prefix']],
    [reference('https://vault/secret'), ['credentials.apiKey.secretRef.uri']],
    [reference('env://'), ['credentials.apiKey.secretRef.uri']],
    [reference('env://A-B'), ['credentials.apiKey.secretRef.uri']],
    [reference('file://relative/path'), ['credentials.apiKey.secretRef.uri']],
    [reference('file:///'), ['credentials.apiKey.secretRef.uri']],
    [reference('file:///a%00b'), ['credentials.apiKey.secretRef.uri']],
    [{ kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: { scopes: ['a b'] } }, ['credentials.gcpAdc.scopes[0]']],
    [{ ...inline('s'), labels: { '': 'a' } }, ['credentials.labels']],
  ] satisfies [CredentialInput, string[]][])('refuses %j', (input, paths) => {
    const violations = credentialViolations(input);
    expect(violations.map(({ path }) => path).sort()).toEqual(paths);
    expect(JSON.stringify(violations)).not.toContain('xxxx');
  });
});
