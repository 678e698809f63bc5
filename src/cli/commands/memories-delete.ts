import { type BatchMemoryResult, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../client/client.ts';
import { itemError } from '../client/item-error.ts';
import { resolveSpace } from '../client/spaces.ts';
import { anyNumber, command, type Positional } from '../command.ts';
import { CommandError, failureOf, usageError } from '../failure.ts';
import { text } from '../flags/kinds.ts';
import { given } from '../flags/optional.ts';
import { confirmDelete, FORCE_FLAG } from '../input/confirm.ts';
import { resolveMemories } from '../naming/memories.ts';
import { counted } from '../render/counted.ts';

const { deleteMemory, batchDeleteMemory } = MemoryService.method;
const MOST_PER_BATCH = 1000;

const IDS: Positional<readonly string[]> = {
  ...anyNumber('id', 'Ids or paths of the memories'),
  completes: 'memories',
};

export const remove = command({
  name: 'delete',
  summary: 'Delete memories, by id or by a filter over a space',
  args: { ids: IDS },
  flags: {
    space: { ...text('--space <name|id>', 'Space to delete from (with --filter)'), completes: 'spaces' },
    filter: text('--filter <expression>', 'Delete every memory that matches'),
    force: FORCE_FLAG,
  },
  examples: [
    'memories delete 01980000-0000-7000-8000-0000000000f1',
    'memories delete -f 01980000-0000-7000-8000-0000000000f1 01980000-0000-7000-8000-0000000000f2',
    "memories delete --space house --filter \"field('processingStatus') = 'FAILED'\" -f",
  ],
  async run(context, { args, flags }) {
    const { ids } = args;
    const { space, filter, force } = flags;
    const [first] = ids;
    const byFilter = space !== undefined || filter !== undefined;
    if ((first === undefined) !== byFilter) throw usageError('Give ids, or --space and --filter');
    if (byFilter && (space === undefined || filter === undefined)) throw usageError('--space and --filter go together');
    const what = byFilter ? `every memory of ${space} that matches` : counted(ids.length, 'memory');
    await confirmDelete(context, what, force);
    const client = await context.client();
    const count =
      space !== undefined && filter !== undefined
        ? await deleteMatching(client, await resolveSpace(client, space), filter)
        : await deleteIds(client, await resolveMemories(client, ids));
    await context.io.stderr.write(`Deleted ${counted(count, 'memory')}\n`);
    return undefined;
  },
});

async function deleteMatching(client: Client, spaceId: string, filter: string): Promise<number> {
  const selector = { selector: { case: 'filterSelector', value: { spaceId, filter } } } as const;
  const { results, totalDeleted } = await client.call(batchDeleteMemory, { requests: [selector] });
  throwFailures(results);
  return Number(totalDeleted ?? 0n);
}

async function deleteIds(client: Client, ids: readonly string[]): Promise<number> {
  const [first] = ids;
  if (ids.length === 1 && first !== undefined) {
    await client.call(deleteMemory, { memoryId: first });
    return 1;
  }
  const results: BatchMemoryResult[] = [];
  for (let at = 0; at < ids.length; at += MOST_PER_BATCH) {
    const memoryIds = ids.slice(at, at + MOST_PER_BATCH);
    results.push(...(await client.call(batchDeleteMemory, { memoryIds })).results);
  }
  throwFailures(results);
  return results.length;
}

/** Items of a batch fail one by one; the first failure decides the exit code, all of them are told. */
function throwFailures(results: readonly BatchMemoryResult[]): void {
  const errors = results.filter(({ success }) => !success).map(({ error }) => itemError(error));
  const [first] = errors;
  if (first === undefined) return;
  const deleted = counted(results.length - errors.length, 'memory');
  const { code, exit, next } = failureOf(first);
  throw new CommandError(`${errors.length} of ${results.length} deletes failed; ${deleted} deleted`, {
    code,
    exit,
    details: errors.map(({ message }) => message).join('; '),
    ...given({ next }),
  });
}
