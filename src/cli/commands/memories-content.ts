import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { MEMORY } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { toggle } from '../kit/flags/kinds.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import { writeContent } from '../render/content.ts';

const { getMemoryContent, getMemoryText } = MemoryService.method;

export const content = command({
  name: 'content',
  isPaged: true,
  summary: 'Write the content of a memory, byte for byte',
  notes: 'A terminal gets text only, without control characters. For everything else write it to a file.',
  args: { id: MEMORY },
  flags: { force: toggle('-f, --force', 'Send every byte to a terminal too') },
  examples: [
    'memories content 01980000-0000-7000-8000-0000000000f1',
    'memories content 01980000-0000-7000-8000-0000000000f1 > report.pdf',
    'memories content 01980000-0000-7000-8000-0000000000f1 | sha256sum',
  ],
  async run({ io, client }, { args, flags }) {
    const server = await client();
    const chunks = server.stream(getMemoryContent, { memoryId: await resolveMemory(server, args.id) });
    const next = `Write it to a file: svc memories content ${args.id} > FILE; or send it as it is with -f`;
    await writeContent(io, chunks, { raw: flags.force, next });
    return undefined;
  },
});

export const extracted = command({
  name: 'text',
  isPaged: true,
  summary: 'Write the text that was extracted from a memory',
  notes: 'Offsets of chunks point into this text.',
  args: { id: MEMORY },
  flags: {},
  examples: [
    'memories text 01980000-0000-7000-8000-0000000000f1',
    'memories text 01980000-0000-7000-8000-0000000000f1 | less',
    'memories text 01980000-0000-7000-8000-0000000000f1 > report.txt',
  ],
  async run({ io, client }, { args }) {
    const server = await client();
    const chunks = server.stream(getMemoryText, { memoryId: await resolveMemory(server, args.id) });
    const next = `Write it to a file: svc memories text ${args.id} > FILE`;
    await writeContent(io, chunks, { raw: false, next });
    return undefined;
  },
});
