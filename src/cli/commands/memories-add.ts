import { Gate } from '../bulk/gate.ts';
import { resolveSpace } from '../client/spaces.ts';
import { type CommandContext, command, required, several } from '../command.ts';
import { usageError } from '../failure.ts';
import { CHUNK_FLAGS, chunkingOf } from '../flags/chunking.ts';
import { integer, pairs, text, toggle } from '../flags/kinds.ts';
import { ProgressLine } from '../render/progress-line.ts';
import { readStdin } from '../upload/document.ts';
import type { Emit } from '../upload/events.ts';
import { type FoundFile, findFiles } from '../upload/find-files.ts';
import { openReporter } from '../upload/reporter.ts';
import { runUpload, type UploadRun } from '../upload/run-upload.ts';
import type { Ending } from '../upload/summary.ts';
import { Tally } from '../upload/tally.ts';

const DEFAULT_PARALLEL = 4;

export const add = command({
  name: 'add',
  aliases: ['create'],
  summary: 'Store files as memories',
  notes: [
    'Takes files, folders (without hidden files, node_modules and links to folders), patterns, or - for stdin, which is one document.',
    'What the space has already is not sent again: a second run uploads only what has changed, an interrupted one goes on.',
    'Paths are kept as seen from the working folder, so run it again from the same one.',
    '--prune-old deletes the memories of the space that have the same path as an uploaded file and other content. They go last, when the new ones are stored (with --wait, processed).',
  ].join('\n\n'),
  args: {
    space: { ...required('space', 'Name or id of the space'), completes: 'spaces' },
    paths: { ...several('path', 'Files, folders, patterns, or -'), completes: 'files' },
  },
  flags: {
    wait: toggle('--wait', 'Wait until every memory has been processed'),
    parallel: integer('--parallel <n>', `Batches under way at once (default ${DEFAULT_PARALLEL})`, { min: 1, max: 64 }),
    metadata: pairs('--metadata <key=value>', 'Metadata of each memory (repeatable)'),
    contentType: text('--content-type <type>', 'Content type of each file (default: by its extension)'),
    pageImages: toggle('--page-images', 'Keep images of the pages of PDFs and images'),
    pruneOld: toggle('--prune-old', 'Delete earlier versions of the uploaded paths'),
    dryRun: toggle('--dry-run', 'Only say what would be done'),
    ...CHUNK_FLAGS,
  },
  examples: [
    'memories add house notes/ --wait',
    "memories add papers '**/*.pdf' --metadata source=archive --prune-old",
    'memories add house - < note.txt',
  ],
  async run(context, { args, flags }) {
    const { io } = context;
    const isStdin = args.paths.includes('-');
    if (isStdin && args.paths.length > 1) throw usageError('- stands alone: stdin is one document');
    if (flags.pruneOld) requirePaths(isStdin, flags.metadata);
    const chunkingConfig = chunkingOf(flags);
    const files = isStdin ? [] : await scan(context, args.paths);
    const spaceId = await resolveSpace(await context.client(), args.space);
    const source = isStdin ? await readStdin(io, { spaceId, contentType: flags.contentType }) : files;
    const run: UploadRun = {
      source,
      spaceId,
      contentType: flags.contentType,
      metadata: flags.metadata ?? {},
      chunkingConfig,
      extractPageImages: flags.pageImages,
      dryRun: flags.dryRun,
      parallel: flags.parallel ?? DEFAULT_PARALLEL,
      wait: flags.wait,
      pruneOld: flags.pruneOld,
      now: io.now,
    };
    return upload(context, run, args.space);
  },
});

/** Earlier versions are found by the path in the metadata, so it has to be the path of the file. */
function requirePaths(isStdin: boolean, metadata: Readonly<Record<string, string>> | undefined): void {
  if (isStdin) throw usageError('--prune-old needs files: stdin has no path');
  if (metadata?.path !== undefined) throw usageError('--prune-old and --metadata path=... exclude each other');
}

async function scan({ io, signal }: CommandContext, paths: readonly string[]): Promise<FoundFile[]> {
  const progress = new ProgressLine(io);
  let shown: Promise<void> = Promise.resolve();
  try {
    return await findFiles(paths, {
      cwd: io.cwd,
      signal,
      onFound: (count) => {
        shown = progress.show(`Looking for files: ${count} so far`);
      },
    });
  } finally {
    await shown;
    await progress.clear();
    if (signal.aborted) await io.stderr.write('Interrupted while looking for files: nothing was uploaded.\n');
  }
}

/** Runs the upload and tells about it, whatever its end. */
async function upload(context: CommandContext, run: UploadRun, space: string): Promise<number> {
  const { io, signal, globals } = context;
  const { source, wait, dryRun } = run;
  const sizes = 'content' in source ? [source.content.length] : source.map(({ bytes }) => bytes);
  const tally = new Tally({ files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) });
  const client = await context.client();
  const waits = wait && !dryRun;
  const reporter = await openReporter({ io, tally, space, waits, debug: globals.debug });
  const emit: Emit = (event) => reporter.event(event, tally.add(event));
  const gate = new Gate({
    signal,
    onPause: (pause) => emit({ kind: 'paused', pause }),
    onResume: () => emit({ kind: 'resumed' }),
  });
  let ending: Ending = 'stopped';
  try {
    await runUpload({ client, gate, signal }, run, emit);
    ending = 'done';
  } finally {
    // What was done until then is worth knowing, most of all after Ctrl-C.
    await reporter.end(signal.aborted ? 'interrupted' : ending);
  }
  return tally.exit;
}
