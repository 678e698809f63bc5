import { required, SPACE } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { text, texts, toggle } from '../kit/flags/kinds.ts';
import { embedderSelection } from '../kit/naming/targets.ts';

const EMBEDDER_FLAG = {
  ...texts(
    '--embedder <name|id[=weight]>',
    'Embedder of the new space (repeatable; default: the same or a similar one)',
  ),
  completes: 'embedders',
} as const;

export const exportTo = command({
  name: 'export',
  summary: 'Write a space with its memories to a file',
  notes: [
    'NDJSON: the record of the space, then a line for each memory with its content, oldest first, then an end with the counts. - writes it to stdout.',
    'With --vectors each chunk follows with its vectors, for other programs; import makes chunks and vectors anew.',
    'The file gets its name only when it is complete, and only its owner may read it. A file that exists already is replaced only with -f, and keeps its rights; without -f the exit code is 65. Devices and named pipes are written to as they are.',
  ].join('\n\n'),
  args: { space: SPACE, file: { ...required('file', 'File to write, - for stdout'), completes: 'files' } },
  flags: {
    vectors: toggle('--vectors', 'Also write the chunks with their vectors'),
    force: toggle('-f, --force', 'Replace the file if there is one'),
  },
  examples: [
    'spaces export house house.ndjson',
    'spaces export house - | gzip > house.ndjson.gz',
    'spaces export papers papers.ndjson --vectors',
  ],
  async run(context, { args, flags }) {
    const { exportSpace } = await import('./export.ts');
    await exportSpace(context, { ...args, ...flags });
    return undefined;
  },
});

export const importFrom = command({
  name: 'import',
  summary: 'Make a space from an export',
  notes: [
    'Ids are kept. If the space exists already, it gets the memories that it lacks, so an interrupted import continues where it stopped.',
    'With --name the memories go into the space of that name, which is made if it does not exist, under new ids that are computed from the old ones.',
    'Content is processed again. Times of creation are those of the import.',
  ].join('\n\n'),
  args: { file: { ...required('file', 'File that export wrote, - for stdin'), completes: 'files' } },
  flags: {
    name: text('--name <name>', 'Name of the space to import into (default: its old name)'),
    embedder: EMBEDDER_FLAG,
  },
  examples: [
    'spaces import house.ndjson',
    'spaces import - < house.ndjson',
    'spaces import house.ndjson --name attic --embedder 01980000-0000-7000-8000-0000000000c1',
  ],
  async run(context, { args, flags }) {
    const { importSpace } = await import('./import.ts');
    return importSpace(context, { ...args, name: flags.name, embedders: flags.embedder.map(embedderSelection) });
  },
});

export const copy = command({
  name: 'copy',
  summary: 'Copy a space with its memories into a new one',
  notes:
    'The content is processed again, with --embedder by that embedder. If you have a space of that name already, it gets the memories that it lacks: a second run continues where the first one stopped.',
  args: { source: SPACE, name: required('name', 'Name of the new space') },
  flags: { embedder: EMBEDDER_FLAG },
  examples: [
    'spaces copy house house-2',
    'spaces copy house house-large --embedder 01980000-0000-7000-8000-0000000000c2',
    'spaces copy 01980000-0000-7000-8000-0000000000b1 mine -o json',
  ],
  async run(context, { args, flags }) {
    const { copySpace } = await import('./copy.ts');
    return copySpace(context, { ...args, embedders: flags.embedder.map(embedderSelection) });
  },
});
