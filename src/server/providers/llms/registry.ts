import type { ClientDeps } from '../client-deps.ts';
import { ClientRegistry } from '../client-registry.ts';
import { createLlmClient } from './client.ts';
import type { LlmClient, LlmRecord } from './types.ts';

export class LlmRegistry extends ClientRegistry<LlmRecord, LlmClient> {
  constructor(deps: ClientDeps) {
    super((record) => createLlmClient(record, deps));
  }
}
