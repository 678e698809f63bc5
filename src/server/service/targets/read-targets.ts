import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { TargetListFilter, TargetRow } from '../../store/target-rows.ts';
import { callerOf, requireTarget, visibleTargets } from '../permission.ts';
import { notFound } from '../resource-ids.ts';
import type { TargetKind } from './target-kind.ts';

/** Throws NOT_FOUND, and PERMISSION_DENIED for a target that is neither the caller's nor shared. */
export async function getTarget<Own>(
  db: Db,
  kind: TargetKind<Own>,
  id: string,
  context: CallContext,
): Promise<TargetRow<Own>> {
  const [target] = await kind.store.select(db.main, [id], { signal: context.signal });
  if (target === undefined) throw notFound(kind.title, id);
  requireTarget(context, `READ_${kind.resource}`, target);
  return target;
}

/** What the caller can see of the targets that the filter names, newest first. */
export function listTargets<Own>(
  db: Db,
  kind: TargetKind<Own>,
  filter: Omit<TargetListFilter, 'visible'>,
  context: CallContext,
): Promise<TargetRow<Own>[]> {
  const visible = visibleTargets(callerOf(context));
  return kind.store.selectList(db.main, { ...filter, visible }, { signal: context.signal });
}
