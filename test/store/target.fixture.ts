import type { NewTarget } from '../../src/server/store/targets.ts';

/** A target outside the server that calls need no credential for; no two of them are the same. */
export function newTarget(id: string, ownerId: string, more: Partial<NewTarget> = {}): NewTarget {
  return {
    id,
    ownerId,
    createdById: ownerId,
    providerType: 'VLLM',
    displayName: 'Target',
    description: '',
    endpointUrl: 'http://models.example.org/v1',
    apiPath: '/call',
    modelIdentifier: 'm',
    supportedModalities: ['TEXT'],
    labels: {},
    version: '',
    monitoringEndpoint: '',
    credentials: null,
    credentialFingerprint: '',
    targetFingerprint: id,
    ...more,
  };
}
