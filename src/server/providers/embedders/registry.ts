import { createEmbedderClient } from './client.ts';
import type { EmbedderClient, EmbedderDeps, EmbedderRecord } from './types.ts';

/** Clients are small; the bound is for installations that make and drop embedders all the time. */
const MAX_CLIENTS = 256;

/**
 * One client for each embedder and version of its record, so that all callers of the process share its slots and what
 * it has learned of its server. The least recently used client is dropped first; calls that run in it end normally.
 */
export class EmbedderRegistry {
  readonly #deps: EmbedderDeps;
  readonly #clients = new Map<string, { updatedAt: number; client: EmbedderClient }>();

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  /** Throws `ServiceError` UNIMPLEMENTED for a provider that this build cannot call. */
  client(record: EmbedderRecord): EmbedderClient {
    const known = this.#clients.get(record.embedderId);
    this.#clients.delete(record.embedderId);
    const entry =
      known?.updatedAt === record.updatedAt
        ? known
        : { updatedAt: record.updatedAt, client: createEmbedderClient(record, this.#deps) };
    this.#clients.set(record.embedderId, entry);
    const oldest = this.#clients.keys().next();
    if (this.#clients.size > MAX_CLIENTS && oldest.done !== true) this.#clients.delete(oldest.value);
    return entry.client;
  }
}
