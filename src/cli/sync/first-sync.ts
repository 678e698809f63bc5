import { SYNC_SOURCE } from '../kit/bulk/memory-id.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { filterLiteral } from '../kit/client/client.ts';
import type { Io } from '../kit/output/io.ts';
import { oneLine } from '../kit/text/printable.ts';
import { matchingMemories } from '../upload/matching-memories.ts';

export interface FirstSync {
  spaceId: string;
  /** How messages call the space. */
  space: string;
  source: string;
  /** Absolute; undefined when the source has a name that somebody has given it. */
  folder: string | undefined;
}

/**
 * Says under which name the space will know a folder that it has nothing of. A machine's name may change, as those of
 * containers do, and then everything would be stored once more: it warns when another machine has stored the same folder.
 */
export async function tellFirstSync(
  { stderr }: Pick<Io, 'stderr'>,
  context: StoreContext,
  { spaceId, space, source, folder }: FirstSync,
): Promise<void> {
  const known = `First sync of this folder: ${oneLine(space)} knows it as ${oneLine(source)}`;
  if (folder === undefined) return stderr.write(`${known}\n`);
  await stderr.write(`${known}; give it a name with --source where the name of the machine may change\n`);
  const other = await sourceElsewhere(context, spaceId, folder);
  if (other === undefined) return;
  await stderr.write(
    `Warning: ${oneLine(space)} has the same folder already as ${oneLine(other)}, and gets its files once more; ` +
      `if it is this folder, continue it with --source '${oneLine(other)}'\n`,
  );
}

/** The name of a folder at the same path of another machine. */
async function sourceElsewhere(context: StoreContext, spaceId: string, folder: string): Promise<string | undefined> {
  const pattern = `%:${folder.replace(/[\\%_]/g, '\\$&')}`;
  const filter = `val('$.${SYNC_SOURCE}') LIKE ${filterLiteral(pattern)}`;
  for await (const { metadata } of matchingMemories(context, spaceId, filter)) {
    const source = metadata?.[SYNC_SOURCE];
    if (typeof source === 'string') return source;
  }
  return undefined;
}
