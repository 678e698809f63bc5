import type { Queryable, StatementOptions } from './db.ts';
import type { MemoryKey } from './memory-row.ts';
import { statement } from './statement.ts';

export interface TextPart {
  /** From 0. */
  part: number;
  /** Code points in front of it. */
  startOffset: number;
  /** UTF-8, whole code points, no NUL. */
  data: Buffer;
}

const INSERT = statement({
  name: 'text.insert',
  purpose: 'Adds a part of an extracted text',
  text: `insert into text_part (space_id, memory_id, part, start_offset, data) values ($1, $2, $3, $4, $5)
    on conflict do nothing`,
});
const SELECT_LENGTHS = statement({
  name: 'text.select_lengths',
  purpose: 'The lengths of the parts of an extracted text',
  text: `select part, octet_length(data) as bytes from text_part
    where space_id = $1 and memory_id = $2 order by part`,
});
const SELECT_PART = statement({
  name: 'text.select_part',
  purpose: 'One part of an extracted text',
  text: 'select data from text_part where space_id = $1 and memory_id = $2 and part = $3',
});

/**
 * Skips a part that an earlier attempt has stored. A text always has a part 0, even when it is empty, to tell an empty text
 * from a missing one.
 */
export async function insertTextPart(
  q: Queryable,
  key: MemoryKey,
  part: TextPart,
  options?: StatementOptions,
): Promise<void> {
  await q.execute(INSERT, [key.spaceId, key.memoryId, part.part, part.startOffset, part.data], options);
}

/** The length of each part in bytes, in order; [] when no text has been extracted. */
export async function selectTextLengths(q: Queryable, key: MemoryKey, options?: StatementOptions): Promise<number[]> {
  const rows = await q.query<{ bytes: number }>(SELECT_LENGTHS, [key.spaceId, key.memoryId], options);
  return rows.map(({ bytes }) => bytes);
}

export async function selectTextPart(
  q: Queryable,
  key: MemoryKey,
  part: number,
  options?: StatementOptions,
): Promise<string | undefined> {
  const [row] = await q.query<{ data: string }>(SELECT_PART, [key.spaceId, key.memoryId, part], options);
  return row?.data;
}
