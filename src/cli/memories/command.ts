import {
  type JobAttempt,
  type Memory,
  MemoryService,
  ProcessingStatusSchema,
} from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import type { FetchPage } from '../kit/client/client.ts';
import { type Command, MEMORY, SPACE } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { text, toggle } from '../kit/flags/kinds.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { timeColumn } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { writeRecord } from '../kit/output/records.ts';
import { rowsText } from '../kit/output/rows.ts';
import type { Column } from '../kit/output/table.ts';
import { LIMIT_FLAGS, limitOf, writePagedList } from '../kit/record-commands.ts';
import { durationText } from '../kit/text/figures.ts';
import { add } from '../upload/command.ts';
import { chunks } from './chunks-command.ts';
import { content, displayableText, extracted } from './content-command.ts';
import { remove } from './delete-command.ts';
import { reprocess, update } from './update-command.ts';
import { memoryView } from './view.ts';

const get = command({
  name: 'get',
  isPaged: true,
  jsonFields: jsonFieldsOf(memoryView),
  summary: 'Show a memory',
  args: { id: MEMORY },
  flags: {
    content: toggle('--content', 'With its content (in the JSON forms as base64)'),
    history: toggle('--history', 'With the history of its processing'),
  },
  examples: [
    'memories get 01980000-0000-7000-8000-0000000000f1',
    'memories get 01980000-0000-7000-8000-0000000000f1 --history',
    'memories get 01980000-0000-7000-8000-0000000000f1 --content -o json',
  ],
  async run({ io, client }, { args, flags }) {
    const server = await client();
    const memory = await server.call(MemoryService.method.getMemory, {
      memoryId: await resolveMemory(server, args.id),
      includeContent: flags.content,
      includeProcessingHistory: flags.history,
    });
    await writeRecord(io, memoryView, memory);
    if (io.isData) return undefined;
    await writeHistory(io, memory);
    await writeText(io, memory);
    return undefined;
  },
});

async function writeHistory(io: Io, { processingHistory }: Memory): Promise<void> {
  const attempts = processingHistory?.attempts ?? [];
  if (attempts.length > 0) await io.stdout.write(`\n${rowsText(io, jobAttemptColumns, attempts)}`);
}

async function writeText({ stdout, stderr }: Io, { memoryId, originalContent }: Memory): Promise<void> {
  if (originalContent === undefined) return;
  const text = displayableText(originalContent);
  if (text !== undefined) return stdout.write(`\n${text.replace(/\n?$/, '\n')}`);
  await stderr.write(`Its content is not text. Write it to a file: svc memories content ${memoryId} > FILE\n`);
}

/** One try at processing a memory. */
const jobAttemptColumns: readonly Column<JobAttempt>[] = [
  timeColumn('STARTED', ({ startedAt }) => startedAt),
  { header: 'TOOK', value: tookText, align: 'right', whole: true },
  { header: 'RESULT', value: ({ ok }) => (ok === undefined ? 'running' : ok ? 'ok' : 'failed'), whole: true },
  { header: 'PROGRESS', value: progressText },
  { header: 'WORKER', value: ({ workerId }) => workerId ?? '', spare: true },
  { header: 'ERROR', value: ({ errorMessage }) => errorMessage ?? '' },
];

function tookText({ startedAt, finishedAt }: JobAttempt): string {
  if (startedAt === undefined || finishedAt === undefined) return '';
  const ms = timestampToMs(finishedAt) - timestampToMs(startedAt);
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}

function progressText({ progressCurrent, progressTotal, progressUnit = '' }: JobAttempt): string {
  const count = progressTotal === undefined ? `${progressCurrent}` : `${progressCurrent} of ${progressTotal}`;
  return `${count} ${progressUnit}`.trim();
}

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
