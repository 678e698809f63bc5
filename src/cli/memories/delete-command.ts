import { type BatchMemoryResult, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { itemError } from '../kit/client/call-errors.ts';
import type { Client } from '../kit/client/client.ts';
import { anyNumber, type CommandContext, type Positional } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { failureOf } from '../kit/failure.ts';
import { given } from '../kit/flags/flag.ts';
import { text } from '../kit/flags/kinds.ts';
import { confirmDelete, FORCE_FLAG, requireAsker } from '../kit/input/prompt.ts';
import { memoryDeletions } from '../kit/naming/memories.ts';
import type { Deletion } from '../kit/naming/names.ts';
import { spaceDeletion } from '../kit/naming/spaces.ts';
import { counted } from '../kit/text/figures.ts';

const { deleteMemory, batchDeleteMemory } = MemoryService.method;
const MOST_PER_BATCH = 1000;
/** Each may be a call of its own. */
const MOST_LISTED = 20;

const IDS: Positional<readonly string[]> = {
  ...anyNumber('id', 'Ids or paths of the memories'),
  completes: 'memories',
};

export const remove = command({
  name: 'delete',
  summary: 'Delete memories, by id, path or a filter over a space',
  notes:
    'A path has to be the whole path of a memory in your own spaces; a file name is not enough. Memories in the spaces of others are deleted by their whole ids, and --space takes the whole id of such a space.',
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
    requireAsker(context, what, force);
    const count =
      space !== undefined && filter !== undefined
        ? await deleteFromSpace(context, { space, filter, force })
        : await deleteNamed(context, ids, force);
    await context.io.stderr.write(`Deleted ${counted(count, 'memory')}\n`);
    return undefined;
  },
});

async function deleteFromSpace(
  context: CommandContext,
  { space, filter, force }: { space: string; filter: string; force: boolean },
): Promise<number> {
  const client = await context.client();
  const { id, described } = await spaceDeletion(client, space);
  if (!force) await confirmDelete(context, `every memory of the space ${await described()} that matches`, force);
  return deleteMatching(client, id, filter);
}

async function deleteNamed(context: CommandContext, wanted: readonly string[], force: boolean): Promise<number> {
  const client = await context.client();
  const deletions = await memoryDeletions(client, wanted);
  if (!force) await confirmDelete(context, await namedOf(context, deletions), force);
  return deleteIds(
    client,
    deletions.map(({ id }) => id),
  );
}

/** What the question is about. Several are listed above it, up to a bound. */
async function namedOf({ io }: CommandContext, deletions: readonly Deletion[]): Promise<string> {
  const [first] = deletions;
  if (deletions.length === 1 && first !== undefined) return `the memory ${await first.described()}`;
  for (const { described } of deletions.slice(0, MOST_LISTED)) await io.stderr.write(`  ${await described()}\n`);
  const rest = deletions.length - MOST_LISTED;
  if (rest > 0) await io.stderr.write(`  and ${rest} more\n`);
  return `these ${counted(deletions.length, 'memory')}`;
}

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
