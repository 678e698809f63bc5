import type { Reach } from './addresses.ts';
import type { TargetRecord } from './target-record.ts';

/** Clients are small; the bound is for installations that make and drop targets all the time. */
const MAX_CLIENTS = 256;

/**
 * One client for each target and version of its record, so that all callers of the process share its slots and what it
 * has learned of its server. The least recently used client is dropped first; calls that run in it end normally.
 */
export class ClientRegistry<Record extends Pick<TargetRecord, 'id' | 'updatedAt' | 'reach'>, Client> {
  readonly #create: (record: Record) => Client;
  readonly #clients = new Map<string, { updatedAt: number; reach: Reach; client: Client }>();

  constructor(create: (record: Record) => Client) {
    this.#create = create;
  }

  /** Throws `ServiceError` UNIMPLEMENTED for a provider that this build cannot call. */
  client(record: Record): Client {
    const { id, updatedAt, reach } = record;
    const known = this.#clients.get(id);
    this.#clients.delete(id);
    // The role of an owner changes without the record.
    const isSame = known?.updatedAt === updatedAt && known.reach === reach;
    const entry = isSame ? known : { updatedAt, reach, client: this.#create(record) };
    this.#clients.set(id, entry);
    const oldest = this.#clients.keys().next();
    if (this.#clients.size > MAX_CLIENTS && oldest.done !== true) this.#clients.delete(oldest.value);
    return entry.client;
  }
}
