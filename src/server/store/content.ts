import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

/** Content is stored in parts of this many bytes. The last one may be shorter; empty content has no part. */
export const CONTENT_PART_BYTES = 1_048_576;

export interface ContentKey {
  spaceId: string;
  contentId: string;
}

const INSERT_STAGING = statement({
  name: 'content.insert_staging',
  purpose: 'Creates the staging row of content that is uploaded in several parts',
  text: 'insert into content_staging (space_id, content_id, created_at) values ($1, $2, now())',
});
/** Only while the staging row exists, so that swept content is not revived; each part renews the time that the sweeper checks. */
const INSERT_STAGED_PART = statement({
  name: 'content.insert_staged_part',
  purpose: 'Adds a part to content that is still staged',
  text: `with alive as (
      update content_staging set created_at = now() where space_id = $1 and content_id = $2 returning content_id
    ) insert into content_part (space_id, content_id, part, data) select $1, content_id, $3, $4 from alive`,
});
const DELETE_STAGED = statement({
  name: 'content.delete_staged',
  purpose: 'Removes content that was staged and never became a memory',
  text: `with staged as (
      delete from content_staging where space_id = $1 and content_id = $2 returning content_id
    ) delete from content_part where space_id = $1 and content_id in (select content_id from staged)`,
});
/**
 * `data` is stored out of line and uncompressed, so that a slice reads only the pages that it needs. Rows are read as text:
 * base64 is a third shorter than the hexadecimal form of bytea.
 */
const SELECT_SLICE = statement({
  name: 'content.select_slice',
  purpose: 'A slice of one part of the content, in base64',
  text: `select encode(substring(data from $4 for $5), 'base64') as data from content_part
    where space_id = $1 and content_id = $2 and part = $3`,
});

/** Creates the staging row that `insertStagedPart` needs. */
export async function insertStaging(q: Queryable, key: ContentKey, options?: StatementOptions): Promise<void> {
  await q.execute(INSERT_STAGING, [key.spaceId, key.contentId], options);
}

/** False when the content is no longer staged, because its upload was idle for so long that it was swept. */
export async function insertStagedPart(
  q: Queryable,
  key: ContentKey,
  part: { index: number; data: Buffer },
  options?: StatementOptions,
): Promise<boolean> {
  const count = await q.execute(INSERT_STAGED_PART, [key.spaceId, key.contentId, part.index, part.data], options);
  return count === 1;
}

/** Removes staged content with its parts; does nothing for content that belongs to a memory. */
export async function deleteStaged(q: Queryable, key: ContentKey, options?: StatementOptions): Promise<void> {
  await q.execute(DELETE_STAGED, [key.spaceId, key.contentId], options);
}

/** Bytes `start` (inclusive) to `end` (exclusive) of one part; undefined when the part does not exist. */
export async function selectContentSlice(
  q: Queryable,
  key: ContentKey,
  slice: { part: number; start: number; end: number },
  options?: StatementOptions,
): Promise<Buffer | undefined> {
  const values = [key.spaceId, key.contentId, slice.part, slice.start + 1, slice.end - slice.start];
  const [row] = await q.query<{ data: string }>(SELECT_SLICE, values, options);
  return row && Buffer.from(row.data, 'base64');
}
