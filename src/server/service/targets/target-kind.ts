import type { AddressPolicy } from '../../providers/addresses.ts';
import type { Db } from '../../store/db.ts';
import type { TargetStore } from '../../store/targets.ts';
import type { ResourceKind } from '../resource-ids.ts';

/** What embedders, LLMs and rerankers need alike. */
export interface TargetDeps {
  db: Db;
  /** Seals inline secrets; undefined on a server that has no key. */
  secretsKey: Uint8Array | undefined;
  policy: AddressPolicy;
}

/** What tells one kind of target from another; `Own` is what only its records have. */
export interface TargetKind<Own> {
  /** As permissions name it. */
  resource: 'EMBEDDER' | 'LLM' | 'RERANKER';
  /** As people read it. */
  title: ResourceKind;
  store: TargetStore<Own>;
  /** The `apiPath` of a record that names none. Throws UNIMPLEMENTED for a provider that this build cannot call. */
  defaultApiPath(providerType: string, modelIdentifier: string): string;
  /** What makes two targets different beyond what all kinds compare. */
  identity(own: Own): readonly unknown[];
}
