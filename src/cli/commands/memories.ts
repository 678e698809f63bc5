import type { ContentChunk } from '../../shared/gen/service/v1/common_pb.ts';
import { MemoryService, ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { pages } from '../client/pages.ts';
import { resolveSpace } from '../client/spaces.ts';
import { type Command, command, required } from '../command.ts';
import { enumChoice } from '../flags/enum.ts';
import { text, toggle } from '../flags/kinds.ts';
import { LIMIT_FLAGS, limitOf } from '../flags/list.ts';
import { given } from '../flags/optional.ts';
import type { Io } from '../io.ts';
import { writeList, writeRecord } from '../render/records.ts';
import { memoryView } from '../views/memory.ts';
import { add } from './memories-add.ts';
import { chunks } from './memories-chunks.ts';
import { remove } from './memories-delete.ts';
import { reprocess, update } from './memories-update.ts';
import { MEMORY } from './memory-argument.ts';

const { getMemory, listMemories, getMemoryContent, getMemoryText } = MemoryService.method;
const MOST_PER_PAGE = 500;

const list = command({
  name: 'list',
  summary: 'List the memories of a space, newest first',
  args: { space: required('space', 'Name or id of the space') },
  flags: {
    status: enumChoice('--status <status>', 'Only in this state', ProcessingStatusSchema),
    filter: text('--filter <expression>', 'Only memories that match'),
    ...LIMIT_FLAGS,
  },
  examples: [
    'memories list house',
    'memories list house --status FAILED --all',
    "memories list house --filter \"val('$.room') = 'cellar'\" -o json",
  ],
  async run({ io, client }, { args, flags }) {
    const { status, filter } = flags;
    const server = await client();
    const spaceId = await resolveSpace(server, args.space);
    const records = pages(async (wanted, nextToken) => {
      const response = await server.call(listMemories, {
        spaceId,
        maxResults: Math.min(wanted, MOST_PER_PAGE),
        ...given({ statusFilter: status, filter, nextToken }),
      });
      return { items: response.memories, nextToken: response.nextToken };
    }, limitOf(flags));
    const isFiltered = status !== undefined || filter !== undefined;
    const empty = isFiltered ? 'No memory matches.' : `No memories yet. Add some: svc memories add ${args.space} FILE`;
    await writeList(io, memoryView, records, empty);
    return undefined;
  },
});

const get = command({
  name: 'get',
  summary: 'Show a memory',
  args: { id: MEMORY },
  flags: {
    content: toggle('--content', 'With its content (in the JSON forms, as base64)'),
    history: toggle('--history', 'With the history of its processing'),
  },
  examples: [
    'memories get 01980000-0000-7000-8000-0000000000f1',
    'memories get 01980000-0000-7000-8000-0000000000f1 --history',
    'memories get 01980000-0000-7000-8000-0000000000f1 --content -o json',
  ],
  async run({ io, client }, { args, flags }) {
    const memory = await (await client()).call(getMemory, {
      memoryId: args.id,
      includeContent: flags.content,
      includeProcessingHistory: flags.history,
    });
    await writeRecord(io, memoryView, memory);
    return undefined;
  },
});

const content = command({
  name: 'content',
  summary: 'Write the content of a memory, byte for byte',
  args: { id: MEMORY },
  flags: {},
  examples: [
    'memories content 01980000-0000-7000-8000-0000000000f1',
    'memories content 01980000-0000-7000-8000-0000000000f1 > report.pdf',
    'memories content 01980000-0000-7000-8000-0000000000f1 | sha256sum',
  ],
  async run({ io, client }, { args }) {
    await writeBytes(io, (await client()).stream(getMemoryContent, { memoryId: args.id }));
    return undefined;
  },
});

const extracted = command({
  name: 'text',
  summary: 'Write the text that was extracted from a memory',
  args: { id: MEMORY },
  flags: {},
  examples: [
    'memories text 01980000-0000-7000-8000-0000000000f1',
    'memories text 01980000-0000-7000-8000-0000000000f1 | less',
    'memories text 01980000-0000-7000-8000-0000000000f1 > report.txt',
  ],
  async run({ io, client }, { args }) {
    await writeBytes(io, (await client()).stream(getMemoryText, { memoryId: args.id }));
    return undefined;
  },
});

async function writeBytes({ stdout }: Pick<Io, 'stdout'>, chunks: AsyncIterable<ContentChunk>): Promise<void> {
  for await (const { data } of chunks) if (data.length > 0) await stdout.write(data);
}

export const memories: readonly Command[] = [add, list, get, content, extracted, chunks, update, reprocess, remove];
