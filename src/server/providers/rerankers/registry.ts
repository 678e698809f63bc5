import type { ClientDeps } from '../client-deps.ts';
import { ClientRegistry } from '../client-registry.ts';
import { createRerankerClient } from './client.ts';
import type { RerankerClient, RerankerRecord } from './types.ts';

export class RerankerRegistry extends ClientRegistry<RerankerRecord, RerankerClient> {
  constructor(deps: ClientDeps) {
    super((record) => createRerankerClient(record, deps));
  }
}
