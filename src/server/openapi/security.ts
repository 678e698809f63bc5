import type { Operation } from '../../shared/operations/operation.ts';
import type { OperationKey } from '../../shared/operations/table.ts';
import type { Part } from './schema.ts';

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key; it wins over the bearer token.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same API key as a bearer token.' },
  initToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Init-Token',
    description: 'Needed only when the server was started with an init token.',
  },
  metricsKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Metrics-Key',
    description: "The metrics secret of the server's settings.",
  },
} as const satisfies Readonly<Record<string, Part>>;

const KEY: readonly Part[] = [{ apiKey: [] }, { bearer: [] }];

/** What an operation must be called with; without an entry here it is a key. */
export function securityOf(key: OperationKey, { auth }: Operation): Part {
  if (key === 'initializeSystem') return { security: [{}, { initToken: [] }] };
  if (auth === 'none') return { security: [] };
  return { security: auth === 'optional' ? [{}, ...KEY] : [...KEY] };
}

/** Of the operations that need nothing. */
export const KEYLESS: Part = { security: [] };
