import type { StoreContext } from '../bulk/store-memories.ts';
import type { Earlier, Emit } from './events.ts';
import { deleteMemories } from './matching-memories.ts';
import type { Mirror } from './mirror.ts';
import type { StoredVersions } from './stored-versions.ts';
import type { Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface ReplaceOptions {
  /** What the space had before the run. */
  stored: StoredVersions;
  versions: Versions;
  dryRun: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A run that was not asked to wait ends some time after its uploads, though what it has sent is not processed. */
const PATIENCE_MS = 60_000;

/** Deletes the earlier versions of the paths of a run once the new ones can be found. */
export async function replaceEarlier(context: StoreContext, options: ReplaceOptions, emit: Emit): Promise<void> {
  const { stored, dryRun, versions, now } = options;
  const earlier = stored.earlierThan(versions.present);
  if (dryRun) {
    for (const one of earlier) await emit({ kind: 'would replace', earlier: one });
    return;
  }
  const awaited = versions.unended(earlier.map(({ path }) => path));
  if (awaited.length > 0) {
    await emit({ kind: 'waiting', count: awaited.length });
    await awaitProcessing(context, awaited, { now, versions, patienceMs: PATIENCE_MS }, emit);
  }
  const isFit = ({ path }: Earlier): boolean => versions.fitness(path) === 'fit';
  await deleteMemories(context, earlier.filter(isFit), async (one, error) => {
    if (error === undefined) await emit({ kind: 'replaced', earlier: one });
    else await emit({ kind: 'deleting failed', path: one.path, error });
  });
  for (const one of earlier) {
    const why = versions.fitness(one.path);
    if (why !== 'fit') await emit({ kind: 'kept', earlier: one, why });
  }
}

/** Deletes the memories of files that are gone, once everything else is stored: a file that was renamed is new and gone. */
export async function removeGone(
  context: StoreContext,
  { gone, left }: Mirror,
  dryRun: boolean,
  emit: Emit,
): Promise<void> {
  if (dryRun) for (const earlier of gone) await emit({ kind: 'would remove', earlier });
  else {
    await deleteMemories(context, gone, async (earlier, error) => {
      if (error === undefined) await emit({ kind: 'removed', earlier });
      else await emit({ kind: 'deleting failed', path: earlier.path, error });
    });
  }
  for (const earlier of left) await emit({ kind: 'left', earlier });
}
