import { Gate, pauseText } from '../bulk/gate.ts';
import type { StoreContext } from '../bulk/store-memories.ts';
import { resolveSpace } from '../client/spaces.ts';
import { type CommandContext, command, required } from '../command.ts';
import { usageError } from '../failure.ts';
import { embedderSelection } from '../flags/embedder-selection.ts';
import { text, texts, toggle } from '../flags/kinds.ts';
import { inputBytes } from '../input/input-bytes.ts';
import { writeRecord } from '../render/records.ts';
import { exportItems } from '../transfer/export-items.ts';
import type { Located, TransferItem } from '../transfer/item.ts';
import { itemLine, readItems } from '../transfer/line.ts';
import { writeOutput } from '../transfer/output-file.ts';
import { receive } from '../transfer/receive.ts';
import { TransferReport } from '../transfer/report.ts';
import { spaceView } from '../views/space.ts';
import { SPACE } from './space-argument.ts';

const EMBEDDER_FLAG = {
  ...texts('--embedder <id[=weight]>', 'Embedder of the space that is made (repeatable; default: the same or alike)'),
  completes: 'embedders',
} as const;

export const exportSpace = command({
  name: 'export',
  summary: 'Write a space with its memories to a file',
  notes: [
    'NDJSON: the record of the space, then a line for each memory with its content, oldest first, then an end with the counts. - writes it to stdout.',
    'With --vectors each chunk follows with its vectors, for other programs; import makes chunks and vectors anew.',
    'The file gets its name when it is whole.',
  ].join('\n\n'),
  args: { space: SPACE, file: { ...required('file', 'File to write, - for stdout'), completes: 'files' } },
  flags: { vectors: toggle('--vectors', 'Also write the chunks with their vectors') },
  examples: [
    'spaces export house house.ndjson',
    'spaces export house - | gzip > house.ndjson.gz',
    'spaces export papers papers.ndjson --vectors',
  ],
  async run(context, { args, flags }) {
    const { io } = context;
    const client = await context.client();
    const spaceId = await resolveSpace(client, args.space);
    const report = new TransferReport(io);
    const lines = writtenLines(exportItems(await storeContext(context, report), spaceId, flags), report);
    let isWritten = false;
    try {
      await writeOutput(io, args.file, lines);
      isWritten = true;
    } finally {
      await report.written(args.file, isWritten);
    }
    return undefined;
  },
});

async function* writtenLines(items: AsyncIterable<TransferItem>, report: TransferReport): AsyncGenerator<string> {
  for await (const item of items) {
    yield itemLine(item);
    if (item.kind === 'memory') await report.count('written', item.content.length);
  }
}

export const importSpace = command({
  name: 'import',
  summary: 'Make a space from an export',
  notes: [
    'Ids are kept. If the space is there already it gets the memories that it lacks, so an interrupted import goes on where it stopped.',
    'With --name the memories go into the space of that name, which is made if need be, under ids that follow from the old ones.',
    'Content is processed again. Times of creation are those of the import.',
  ].join('\n\n'),
  args: { file: { ...required('file', 'File that export wrote, - for stdin'), completes: 'files' } },
  flags: { name: text('--name <name>', 'Name of the space, when it is another'), embedder: EMBEDDER_FLAG },
  examples: [
    'spaces import house.ndjson',
    'spaces import - < house.ndjson',
    'spaces import house.ndjson --name attic --embedder 01980000-0000-7000-8000-0000000000c1',
  ],
  async run(context, { args, flags }) {
    const { io, signal } = context;
    const report = new TransferReport(io);
    const source = args.file === '-' ? 'stdin' : args.file;
    const items = readItems(inputBytes(io, args.file, signal), source);
    const space = await receive(
      await storeContext(context, report),
      items,
      { name: flags.name, embedders: flags.embedder.map(embedderSelection), source, now: io.now },
      report,
    );
    await writeRecord(io, spaceView, space);
    return report.exit;
  },
});

export const copy = command({
  name: 'copy',
  summary: 'Copy a space with its memories into a new one',
  notes:
    'The content is processed again, with --embedder by that embedder. If you have a space of that name already it gets the memories that it lacks: a second run goes on where the first one stopped.',
  args: { source: SPACE, name: required('name', 'Name of the new space') },
  flags: { embedder: EMBEDDER_FLAG },
  examples: [
    'spaces copy house house-2',
    'spaces copy house house-large --embedder 01980000-0000-7000-8000-0000000000c2',
    'spaces copy 01980000-0000-7000-8000-0000000000b1 mine -o json',
  ],
  async run(context, { args, flags }) {
    const { io } = context;
    const report = new TransferReport(io);
    const transfer = await storeContext(context, report);
    const spaceId = await resolveSpace(transfer.client, args.source);
    const space = await receive(
      transfer,
      located(exportItems(transfer, spaceId, { vectors: false })),
      {
        name: args.name,
        embedders: flags.embedder.map(embedderSelection),
        source: args.source,
        check: (target) => {
          if (target.spaceId === spaceId) {
            throw usageError('A space cannot be copied into itself', { next: 'Give the copy another name' });
          }
        },
        now: io.now,
      },
      report,
    );
    await writeRecord(io, spaceView, space);
    return report.exit;
  },
});

async function* located(items: AsyncIterable<TransferItem>): AsyncGenerator<Located> {
  for await (const item of items) yield { at: item.kind === 'memory' ? `memory ${item.memory.memoryId}` : '', item };
}

async function storeContext({ client, signal }: CommandContext, report: TransferReport): Promise<StoreContext> {
  const gate = new Gate({
    signal,
    onPause: (pause) => report.note(pauseText(pause)),
    onResume: async () => {},
  });
  return { client: await client(), gate, signal };
}
