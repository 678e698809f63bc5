import { type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { SYNC_SOURCE } from '../kit/bulk/memory-id.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { itemError } from '../kit/client/call-errors.ts';
import { filterLiteral, pages } from '../kit/client/client.ts';
import { given } from '../kit/flags/flag.ts';
import type { Earlier } from './events.ts';

const { listMemories, batchDeleteMemory } = MemoryService.method;
const MOST_AT_ONCE = 500;

/** The memories of a space that match a filter, newest first. Callers that delete some read all of them before. */
export function matchingMemories(
  { client, gate, signal }: StoreContext,
  spaceId: string,
  filter: string,
): AsyncGenerator<Memory> {
  return pages(async (_wanted, nextToken) => {
    const request = { spaceId, filter, maxResults: MOST_AT_ONCE, ...given({ nextToken }) };
    const response = await gate.run(() => client.call(listMemories, request, { signal }), signal);
    return { items: response.memories, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

interface DeleteMemoriesOptions {
  /** Returns those of some that are to be deleted, directly before they are; all when left out. */
  check?: (some: readonly Earlier[]) => Promise<readonly Earlier[]>;
  /** Told of each, with the error of one that is still there. */
  settle: (memory: Earlier, error: unknown) => Promise<void>;
}

/** Deletes memories, many at once. */
export async function deleteMatchingMemories(
  { client, gate, signal }: StoreContext,
  memories: readonly Earlier[],
  { check = async (some) => some, settle }: DeleteMemoriesOptions,
): Promise<void> {
  for (let at = 0; at < memories.length; at += MOST_AT_ONCE) {
    const some = await check(memories.slice(at, at + MOST_AT_ONCE));
    if (some.length === 0) continue;
    const request = { memoryIds: some.map(({ memoryId }) => memoryId) };
    const { results } = await gate.run(() => client.call(batchDeleteMemory, request, { signal }), signal);
    for (const [index, memory] of some.entries()) {
      const { success = false, error: status } = results[index] ?? {};
      const error = success ? undefined : itemError(status);
      // Another client has deleted it meanwhile: it is gone, as intended.
      await settle(memory, error?.code === 'NOT_FOUND' ? undefined : error);
    }
  }
}

/** A filter may have 10000 characters and 1000 list items. */
const MOST_FILTER_LENGTH = 9000;
const MOST_PATHS = 200;

/** The memories of a space that carry one of these paths, as an earlier upload has stored them. */
export async function* versionsOf(
  context: StoreContext,
  spaceId: string,
  paths: readonly string[],
): AsyncGenerator<Memory> {
  for (const filter of filtersFor(paths)) {
    for await (const memory of matchingMemories(context, spaceId, filter)) {
      // What a sync has stored only a sync replaces.
      if (memory.metadata?.[SYNC_SOURCE] === undefined) yield memory;
    }
  }
}

/**
 * Few filters that find what is stored of these paths: each makes the server look through the space once. Up to 200 paths
 * are listed; of thousands, what they have in common is asked for, folder by folder.
 */
export function filtersFor(paths: readonly string[]): string[] {
  const listed = listsOf(paths);
  const prefixes = commonFolders(paths);
  const alone = listsOf(paths.filter((path) => !path.includes('/')));
  return prefixes.length + alone.length < listed.length ? [...prefixes.map(below), ...alone] : listed;
}

/** For each first folder the longest path of folders that all its files share: `docs/2024/`. */
function commonFolders(paths: readonly string[]): string[] {
  const common = new Map<string, string>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (folder === '') continue;
    const first = folder.slice(0, folder.indexOf('/') + 1);
    common.set(first, sharedFolder(common.get(first) ?? folder, folder));
  }
  return [...common.values()];
}

function sharedFolder(a: string, b: string): string {
  let shared = a;
  while (!b.startsWith(shared)) shared = shared.slice(0, shared.lastIndexOf('/', shared.length - 2) + 1);
  return shared;
}

function below(folder: string): string {
  return `val('$.path') LIKE ${filterLiteral(`${folder.replace(/[\\%_]/g, '\\$&')}%`)}`;
}

/** `val('$.path') IN ('a','b')`, as many as there is room for in one. */
function listsOf(paths: readonly string[]): string[] {
  const filters: string[] = [];
  let group: string[] = [];
  let length = 0;
  const close = (): void => {
    if (group.length > 0) filters.push(`val('$.path') IN (${group.join(',')})`);
    group = [];
    length = 0;
  };
  for (const path of paths) {
    const literal = filterLiteral(path);
    if (group.length === MOST_PATHS || length + literal.length >= MOST_FILTER_LENGTH) close();
    group.push(literal);
    length += literal.length + 1;
  }
  close();
  return filters;
}
