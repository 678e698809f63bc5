import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

interface ExpiredMemory {
  spaceId: string;
  memoryId: string;
  contentId: string;
}

const TRY_LOCK = statement({
  name: 'sweep.try_lock',
  purpose: 'Takes the lock that lets one server at a time sweep',
  text: `select pg_try_advisory_xact_lock(hashtextextended('svc.sweep', 0)) as "isLocked"`,
});
/** Only memories of one space, so that they can be deleted together. */
const SELECT_EXPIRED = statement({
  name: 'sweep.select_expired',
  purpose: 'Expired memories, locked to be deleted',
  text: `select space_id as "spaceId", memory_id as "memoryId", content_id as "contentId" from memory
    where expires_at <= now() and space_id = (
      select space_id from memory where expires_at <= now() order by expires_at limit 1
    ) order by memory_id limit $1 for update skip locked`,
});
/** Parts are deleted in batches; the staging row is deleted with the last of them. */
const DELETE_STALE_PARTS = statement({
  name: 'sweep.delete_stale_parts',
  purpose: 'Removes parts of staged content whose upload has been idle for long',
  text: `with stale as (
      select space_id, content_id from content_staging where created_at < now() - $1 * interval '1 millisecond'
      order by created_at limit 1 for update skip locked
    ), doomed as (
      select p.space_id, p.content_id, p.part from content_part p join stale using (space_id, content_id) limit $2
    ), gone as (
      delete from content_part p using doomed d
      where p.space_id = d.space_id and p.content_id = d.content_id and p.part = d.part
    ), ended as (
      delete from content_staging s using stale
      where s.space_id = stale.space_id and s.content_id = stale.content_id
        and (select count(*) from doomed) < $2
      returning s.content_id
    )
    select (select count(*) from stale) as stale, (select count(*) from ended) as ended`,
});

/** Takes the lock of the sweep until the transaction ends; false when another server holds it. */
export async function tryLockSweep(tx: Queryable, options?: StatementOptions): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(TRY_LOCK, [], options);
  return row?.isLocked === true;
}

/** Up to `limit` expired memories of one space, locked. */
export function lockExpiredMemories(
  tx: Queryable,
  limit: number,
  options?: StatementOptions,
): Promise<ExpiredMemory[]> {
  return tx.query<ExpiredMemory>(SELECT_EXPIRED, [limit], options);
}

/** Deletes up to `maxParts` parts of one upload that has been idle for `idleMs`; true when there was one. */
export async function deleteStaleUpload(
  tx: Queryable,
  { idleMs, maxParts }: { idleMs: number; maxParts: number },
  options?: StatementOptions,
): Promise<boolean> {
  const [row] = await tx.query<{ stale: number }>(DELETE_STALE_PARTS, [idleMs, maxParts], options);
  return (row?.stale ?? 0) > 0;
}
