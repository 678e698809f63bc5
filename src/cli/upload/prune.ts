import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { isHopeless, type StoreContext } from '../bulk/store-memories.ts';
import { filterLiteral } from '../client/filter-literal.ts';
import { itemError } from '../client/item-error.ts';
import { pages } from '../client/pages.ts';
import { given } from '../flags/optional.ts';
import type { Earlier, Emit } from './events.ts';

export interface PruneOptions {
  spaceId: string;
  /** The paths of this run with the ids under which their present versions are stored. */
  versions: ReadonlyMap<string, ReadonlySet<string>>;
  dryRun: boolean;
}

/** A filter may have 10000 characters and 1000 list items. */
const MOST_FILTER_LENGTH = 9000;
const MOST_PATHS = 200;
const MOST_PER_PAGE = 500;

/** Deletes the memories of a space that carry a path of this run and are none of its present versions. */
export async function pruneEarlier(context: StoreContext, options: PruneOptions, emit: Emit): Promise<void> {
  for (const paths of pathGroups([...options.versions.keys()])) {
    try {
      await pruneGroup(context, paths, options, emit);
    } catch (error) {
      if (context.signal.aborted || isHopeless(error)) throw error;
      for (const path of paths) await emit({ kind: 'prune failed', path, error });
    }
  }
}

async function pruneGroup(
  context: StoreContext,
  paths: readonly string[],
  { spaceId, versions, dryRun }: PruneOptions,
  emit: Emit,
): Promise<void> {
  const found: Earlier[] = [];
  for await (const { memoryId, metadata } of memoriesOf(context, spaceId, paths)) {
    const path = metadata?.path;
    const present = typeof path === 'string' ? versions.get(path) : undefined;
    if (typeof path === 'string' && present !== undefined && !present.has(memoryId)) found.push({ path, memoryId });
  }
  if (!dryRun) return deleteAll(context, found, emit);
  for (const earlier of found) await emit({ kind: 'would prune', earlier });
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
      if (error === undefined || error.code === 'NOT_FOUND') await emit({ kind: 'pruned', earlier });
      else await emit({ kind: 'prune failed', path: earlier.path, error });
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
