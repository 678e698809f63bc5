import type { TargetRecord } from '../../providers/target-record.ts';
import type { Queryable } from '../../store/db.ts';
import type { TargetRow } from '../../store/target-rows.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { credentialHeaders } from '../credentials.ts';
import { notFound } from '../resource-ids.ts';
import type { TargetKind } from './target-kind.ts';
import { reachOf } from './target-reach.ts';

export interface LoaderDeps {
  pool: Queryable;
  /** Opens inline secrets; undefined on a server that has no key. */
  secretsKey: Uint8Array | undefined;
}

/** The rows of these targets, in the order of the ids. Throws NOT_FOUND. */
export async function loadTargets<Own>(
  pool: Queryable,
  kind: TargetKind<Own>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<TargetRow<Own>[]> {
  const rows = new Map((await kind.store.select(pool, ids, { signal })).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = rows.get(id);
    if (row === undefined) throw notFound(kind.title, id);
    return row;
  });
}

/** As `loadTargets`, of one. */
export async function loadTarget<Own>(
  pool: Queryable,
  kind: TargetKind<Own>,
  id: string,
  signal: AbortSignal,
): Promise<TargetRow<Own>> {
  const [row] = await loadTargets(pool, kind, [id], signal);
  if (row === undefined) throw notFound(kind.title, id);
  return row;
}

/** A target in the form in which it is called. Its credentials are opened at each call, never kept open. */
export function targetRecord<Provider extends string>(
  row: TargetRow,
  secretsKey: Uint8Array | undefined,
): TargetRecord<Provider> {
  const stored = row.credentials as StoredCredential | null;
  const access = { resourceId: row.id, key: secretsKey };
  return {
    id: row.id,
    providerType: row.providerType as Provider,
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    reach: reachOf(row.ownerRole),
    modelIdentifier: row.modelIdentifier,
    updatedAt: row.updatedAt,
    ...(stored === null
      ? {}
      : { credentials: (signal: AbortSignal) => credentialHeaders(stored, { ...access, signal }) }),
  };
}
