import { apiKey } from './target-area.fixture.ts';

const LONG = 'x'.repeat(1025);

/** What a create and an update request of every kind refuse, with the field that they must name. */
export const BAD_FIELDS: readonly (readonly [object, string])[] = [
  [{ displayName: '' }, 'displayName: '],
  [{ displayName: 'x'.repeat(256) }, 'displayName: '],
  [{ displayName: 'a\0b' }, 'displayName: '],
  [{ description: LONG }, 'description: '],
  [{ version: LONG }, 'version: '],
  [{ monitoringEndpoint: LONG }, 'monitoringEndpoint: '],
  [{ apiPath: LONG }, 'apiPath: '],
  [{ modelIdentifier: '' }, 'modelIdentifier: '],
  [{ modelIdentifier: 'x'.repeat(256) }, 'modelIdentifier: '],
  [{ endpointUrl: 'ftp://x' }, 'endpointUrl: '],
  [{ endpointUrl: 'not a url' }, 'endpointUrl: '],
  [{ endpointUrl: 'http://a b.example.org' }, 'endpointUrl: '],
  [{ endpointUrl: 'https://user:word@models.example.org' }, 'endpointUrl: '],
  [{ endpointUrl: 'https://models.example.org/#part' }, 'endpointUrl: '],
  [{ endpointUrl: 'http://169.254.169.254/latest' }, 'endpointUrl: '],
  [{ endpointUrl: 'http://[fe80::1]/v1' }, 'endpointUrl: '],
  [{ supportedModalities: ['SMELL'] }, 'supportedModalities[0]: '],
  [{ unknown: 1 }, 'unknown: unknown field'],
  [{ credentials: {} }, 'credentials'],
  [{ credentials: { ...apiKey('x'), kind: 'CREDENTIAL_KIND_GCP_ADC' } }, 'credentials'],
  [{ credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: {} } }, 'credentials.apiKey'],
  [
    {
      credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: 'x', secretRef: { uri: 'env://HOME' } } },
    },
    'credentials.apiKey',
  ],
  [
    { credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef: { uri: 'https://x' } } } },
    'credentials.apiKey.secretRef.uri',
  ],
];
