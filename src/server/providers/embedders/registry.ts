import { ClientRegistry } from '../client-registry.ts';
import { createEmbedderClient } from './client.ts';
import type { EmbedderClient, EmbedderDeps, EmbedderRecord } from './types.ts';

export class EmbedderRegistry extends ClientRegistry<EmbedderRecord, EmbedderClient> {
  constructor(deps: EmbedderDeps) {
    super((record) => createEmbedderClient(record, deps));
  }
}
