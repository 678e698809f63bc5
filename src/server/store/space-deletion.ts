import type { Queryable, Statement, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import { deleteSharedVectors } from './vector-tables.ts';

/**
 * Waits for every worker that is writing to a memory of the space; a worker that comes later finds no memory. Locks in the
 * same order as all other code that locks several memories.
 */
const LOCK_MEMORIES: Statement = statement({
  name: 'space_deletion.lock_memories',
  purpose: 'Locks the memories of a space that is to be deleted',
  text: 'select count(*) from (select from memory where space_id = $1 order by memory_id for update) as locked',
});

/**
 * Children before parents, so that foreign keys have no rows left to cascade to one by one. Job attempts and embedders of
 * the space do cascade, since they are few. Running uploads stay staged: the sweeper deletes them together with the parts
 * that they still write.
 */
const TABLES = ['job', 'chunk', 'text_part', 'memory', 'content_part', 'space'] as const;

const DELETES: readonly Statement[] = TABLES.map((table) =>
  statement({
    name: `space_deletion.${table}`,
    purpose: `Removes the rows of a space from the table ${table}`,
    text: `delete from ${table} where space_id = $1`,
  }),
);

/**
 * Deletes a space and all its data, in the transaction in which `selectSpaceForDelete` has locked it. The tables of its
 * segments belong to no space then, and a background task drops them: here, the caller would wait for all who read them.
 * `embedderIds` are the embedders of the space.
 */
export async function deleteSpaceRows(
  tx: Queryable,
  { spaceId, embedderIds }: { spaceId: string; embedderIds: readonly string[] },
  options?: StatementOptions,
): Promise<void> {
  await tx.query(LOCK_MEMORIES, [spaceId], options);
  for (const embedderId of embedderIds) await deleteSharedVectors(tx, { spaceId, embedderId }, options);
  for (const statement of DELETES) await tx.execute(statement, [spaceId], options);
}
