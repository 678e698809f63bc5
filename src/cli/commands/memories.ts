import { type Memory, MemoryService, ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import type { FetchPage } from '../kit/client/client.ts';
import { type Command, SPACE } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { text } from '../kit/flags/kinds.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { LIMIT_FLAGS, limitOf, writePagedList } from '../kit/record-commands.ts';
import { memoryView } from '../views/memory.ts';
import { add } from './memories-add.ts';
import { chunks } from './memories-chunks.ts';
import { content, extracted } from './memories-content.ts';
import { remove } from './memories-delete.ts';
import { get } from './memories-get.ts';
import { reprocess, update } from './memories-update.ts';

const MOST_PER_PAGE = 500;

const list = command({
  name: 'list',
  isPaged: true,
  isWatchable: true,
  jsonFields: jsonFieldsOf(memoryView),
  summary: 'List the memories of a space, newest first',
  args: { space: SPACE },
  flags: {
    status: filling(enumChoice('--status <status>', 'Only in this state', ProcessingStatusSchema), 'statusFilter'),
    filter: text('--filter <expression>', 'Only memories that match'),
    ...LIMIT_FLAGS,
  },
  examples: [
    'memories list house --status FAILED --all',
    "memories list house --filter \"val('$.room') = 'cellar'\" -o json",
    'memories list -w house --status PROCESSING',
  ],
  async run({ io, client }, { args, flags }) {
    const { status, filter } = flags;
    const limit = limitOf(flags);
    const server = await client();
    const spaceId = await resolveSpace(server, args.space);
    const fetch: FetchPage<Memory> = async (wanted, nextToken) => {
      const response = await server.call(MemoryService.method.listMemories, {
        spaceId,
        maxResults: Math.min(wanted, MOST_PER_PAGE),
        ...given({ statusFilter: status, filter, nextToken }),
      });
      return { items: response.memories, nextToken: response.nextToken };
    };
    const isFiltered = status !== undefined || filter !== undefined;
    const empty = isFiltered
      ? `No memory matches. All of them: svc memories list ${args.space}`
      : `No memories yet. Add some: svc memories add ${args.space} FILE`;
    await writePagedList(io, memoryView, fetch, { limit, whenEmpty: empty });
    return undefined;
  },
});

export const memories: readonly Command[] = [add, list, get, content, extracted, chunks, update, reprocess, remove];
