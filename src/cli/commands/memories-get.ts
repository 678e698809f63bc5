import { type Memory, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { MEMORY } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { toggle } from '../kit/flags/kinds.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import type { Io } from '../kit/output/io.ts';
import { writeRecord } from '../kit/output/records.ts';
import { rowsText } from '../kit/output/rows.ts';
import { textOf } from '../render/content.ts';
import { jobAttemptColumns } from '../views/job-attempt.ts';
import { memoryView } from '../views/memory.ts';

export const get = command({
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
  const text = textOf(originalContent);
  if (text !== undefined) return stdout.write(`\n${text.replace(/\n?$/, '\n')}`);
  await stderr.write(`Its content is not text. Write it to a file: svc memories content ${memoryId} > FILE\n`);
}
