import { required, several } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { usageError } from '../kit/errors.ts';
import { CHUNK_FLAGS, chunkingFromFlags } from '../kit/flags/chunking.ts';
import { integer, pairs, text, toggle } from '../kit/flags/kinds.ts';

const DEFAULT_PARALLEL = 4;

export const add = command({
  name: 'add',
  aliases: ['create'],
  summary: 'Store files as memories',
  notes: [
    'Takes files, folders (without hidden files, node_modules, links to folders, and links to files that are elsewhere or left out), patterns, or - for stdin, which is one document.',
    'A file or folder that cannot be read is named and skipped, and the exit code is 66. Devices, pipes and files larger than the server accepts are refused.',
    'What the space has already is not sent again: a second run uploads only what has changed, and after an interruption it continues.',
    'Paths are stored relative to the working folder, so run it again from the same folder, on whatever machine. Files of two projects that have the same path, such as README.md, therefore replace each other in one space: add both from their common parent folder, give each project its own space, or store them with svc sync, which tells folders apart.',
    'A file replaces what svc memories add has stored from the same path before; memories that were stored otherwise stay, whatever path they carry. The earlier version is deleted only when the new one can be found: the command waits for that up to a minute, and with --wait as long as it takes. A file that is not processed by then keeps its earlier version until the next run, and one that cannot be processed keeps it until a later version can. Of versions that two machines store from one path the later stays. --keep-old keeps all versions.',
    'Text that is neither UTF-8 nor UTF-16 is taken as windows-1252 and stored as UTF-8.',
  ].join('\n\n'),
  args: {
    space: { ...required('space', 'Name or id of the space'), completes: 'spaces' },
    paths: { ...several('path', 'Files, folders, patterns, or -'), completes: 'files' },
  },
  flags: {
    wait: toggle('--wait', 'Wait until every memory has been processed'),
    parallel: integer('--parallel <n>', `Batches sent at the same time (default ${DEFAULT_PARALLEL})`, {
      min: 1,
      max: 64,
    }),
    metadata: pairs('--metadata <key=value>', 'Metadata of each memory (repeatable)'),
    contentType: text('--content-type <type>', 'Content type of each file (default: by its extension)'),
    pageImages: { ...toggle('--page-images', 'Keep images of the pages of PDFs and images'), lacking: true },
    keepOld: toggle('--keep-old', 'Keep earlier versions of the uploaded paths'),
    pruneOld: toggle('--prune-old', 'Delete earlier versions; this is the default'),
    dryRun: toggle('--dry-run', 'Show what would be done and do nothing'),
    ...CHUNK_FLAGS,
  },
  examples: [
    'memories add house notes/ --wait',
    "memories add papers '**/*.pdf' --metadata source=archive --keep-old",
    'memories add house - < note.txt',
  ],
  async run(context, { args, flags }) {
    const isStdin = args.paths.includes('-');
    if (isStdin && args.paths.length > 1)
      throw usageError('- cannot be given together with files: stdin is one document');
    if (flags.pruneOld && flags.keepOld) throw usageError('Give --prune-old or --keep-old, not both');
    const { addMemories } = await import('./add-memories.ts');
    return addMemories(context, {
      ...args,
      contentType: flags.contentType,
      metadata: flags.metadata ?? {},
      chunkingConfig: chunkingFromFlags(flags),
      extractPageImages: flags.pageImages,
      dryRun: flags.dryRun,
      parallel: flags.parallel ?? DEFAULT_PARALLEL,
      wait: flags.wait,
      // Earlier versions are found by the path in the metadata, so it has to be the path of the file.
      keepOld: flags.keepOld || isStdin || flags.metadata?.path !== undefined,
    });
  },
});
