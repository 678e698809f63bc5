import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { isHopeless, type StoreContext } from '../bulk/store-memories.ts';
import { filterLiteral } from '../client/filter-literal.ts';
import { itemError } from '../client/item-error.ts';
import { pages } from '../client/pages.ts';
import { given } from '../flags/optional.ts';
import type { Earlier, Emit } from './events.ts';
import { SYNC_SOURCE } from './memory-id.ts';
import type { Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface ReplaceOptions {
  spaceId: string;
  versions: Versions;
  dryRun: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A run that was not asked to wait ends some time after its uploads, though what it has sent is not processed. */
const PATIENCE_MS = 60_000;
/** A filter may have 10000 characters and 1000 list items. */
const MOST_FILTER_LENGTH = 9000;
const MOST_PATHS = 200;
const MOST_PER_PAGE = 500;

/** Deletes, once their new versions can be found, the memories of a space that carry a path of this run. */
export async function replaceEarlier(context: StoreContext, options: ReplaceOptions, emit: Emit): Promise<void> {
  const { dryRun, versions, now } = options;
  const earlier = await findEarlier(context, options, emit);
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
  await deleteAll(context, earlier.filter(isFit), emit);
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
      for await (const { memoryId, metadata } of memoriesOf(context, spaceId, paths)) {
        const path = metadata?.path;
        const ids = typeof path === 'string' ? present.get(path) : undefined;
        // What a sync has stored only a sync replaces.
        const isOwn = metadata?.[SYNC_SOURCE] === undefined;
        if (typeof path === 'string' && ids !== undefined && !ids.has(memoryId) && isOwn)
          found.push({ path, memoryId });
      }
    } catch (error) {
      if (context.signal.aborted || isHopeless(error)) throw error;
      for (const path of paths) await emit({ kind: 'replacing failed', path, error });
    }
  }
  return found;
}

/** Newest first: what is deleted in between shifts nothing, for all pages are read before the first delete. */
function memoriesOf(
  { client, gate, signal }: StoreContext,
  spaceId: string,
  paths: readonly string[],
): AsyncGenerator<Memory> {
  const filter = filterOf(paths);
  return pages(async (_wanted, nextToken) => {
    const request = { spaceId, filter, maxResults: MOST_PER_PAGE, ...given({ nextToken }) };
    const response = await gate.run(() => client.call(MemoryService.method.listMemories, request, { signal }), signal);
    return { items: response.memories, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

async function deleteAll({ client, gate, signal }: StoreContext, found: readonly Earlier[], emit: Emit): Promise<void> {
  for (let at = 0; at < found.length; at += MOST_PER_PAGE) {
    const some = found.slice(at, at + MOST_PER_PAGE);
    const request = { memoryIds: some.map(({ memoryId }) => memoryId) };
    const { results } = await gate.run(
      () => client.call(MemoryService.method.batchDeleteMemory, request, { signal }),
      signal,
    );
    for (const [index, earlier] of some.entries()) {
      const { success = false, error: status } = results[index] ?? {};
      const error = success ? undefined : itemError(status);
      // Somebody else has deleted it meanwhile: it is gone, and that is what was wanted.
      if (error === undefined || error.code === 'NOT_FOUND') await emit({ kind: 'replaced', earlier });
      else await emit({ kind: 'replacing failed', path: earlier.path, error });
    }
  }
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
