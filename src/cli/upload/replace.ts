import { isHopeless, type StoreContext } from '../bulk/store-memories.ts';
import { filterLiteral } from '../client/filter-literal.ts';
import type { Earlier, Emit } from './events.ts';
import { deleteMemories, matchingMemories } from './matching-memories.ts';
import { SYNC_SOURCE } from './memory-id.ts';
import type { Mirror } from './mirror.ts';
import type { Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface ReplaceOptions {
  spaceId: string;
  versions: Versions;
  dryRun: boolean;
  mirror: Mirror | undefined;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A run that was not asked to wait ends some time after its uploads, though what it has sent is not processed. */
const PATIENCE_MS = 60_000;
/** A filter may have 10000 characters and 1000 list items. */
const MOST_FILTER_LENGTH = 9000;
const MOST_PATHS = 200;

/** Deletes, once their new versions can be found, the memories of a space that carry a path of this run. */
export async function replaceEarlier(context: StoreContext, options: ReplaceOptions, emit: Emit): Promise<void> {
  const { dryRun, versions, now, mirror } = options;
  const earlier = mirror?.earlierThan(versions.present) ?? (await findEarlier(context, options, emit));
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

/** One call for up to 200 paths, whether they have earlier versions or not. */
async function findEarlier(
  context: StoreContext,
  { spaceId, versions: { present } }: ReplaceOptions,
  emit: Emit,
): Promise<Earlier[]> {
  const found: Earlier[] = [];
  for (const paths of pathGroups([...present.keys()])) {
    try {
      for await (const { memoryId, metadata } of matchingMemories(context, spaceId, filterOf(paths))) {
        const path = metadata?.path;
        const ids = typeof path === 'string' ? present.get(path) : undefined;
        // What a sync has stored only a sync replaces.
        const isOwn = metadata?.[SYNC_SOURCE] === undefined;
        if (typeof path === 'string' && ids !== undefined && !ids.has(memoryId) && isOwn)
          found.push({ path, memoryId });
      }
    } catch (error) {
      if (context.signal.aborted || isHopeless(error)) throw error;
      for (const path of paths) await emit({ kind: 'deleting failed', path, error });
    }
  }
  return found;
}

/** `val('$.path') IN ('a','b')`. */
function filterOf(paths: readonly string[]): string {
  return `val('$.path') IN (${paths.map(filterLiteral).join(',')})`;
}

function* pathGroups(paths: readonly string[]): Generator<string[]> {
  let group: string[] = [];
  let length = 0;
  for (const path of paths) {
    const own = filterLiteral(path).length + 1;
    if (group.length > 0 && (group.length === MOST_PATHS || length + own > MOST_FILTER_LENGTH)) {
      yield group;
      group = [];
      length = 0;
    }
    group.push(path);
    length += own;
  }
  if (group.length > 0) yield group;
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
