import type { CallContext } from '../../context.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { requireMay } from '../permission.ts';
import { notFound } from '../resource-ids.ts';
import type { TargetKind } from './target-kind.ts';

export interface TargetDeletion {
  /** Throws when the record, which is locked, is still needed. */
  check?(tx: Queryable): Promise<void>;
  /** Removes what belongs to the record, in its transaction. */
  deleted?(tx: Queryable): Promise<void>;
}

export function deleteTarget<Own>(
  db: Db,
  kind: TargetKind<Own>,
  id: string,
  context: CallContext,
  { check, deleted }: TargetDeletion = {},
): Promise<void> {
  return db.main.withTx(
    async (tx) => {
      const target = await kind.store.selectForUpdate(tx, id);
      if (target === undefined) throw notFound(kind.title, id);
      requireMay(context, `DELETE_${kind.resource}`, target.ownerId);
      await check?.(tx);
      await kind.store.delete(tx, id);
      await deleted?.(tx);
    },
    { signal: context.signal },
  );
}
