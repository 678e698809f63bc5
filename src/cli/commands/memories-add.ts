import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../client/client.ts';
import { resolveSpace } from '../client/spaces.ts';
import { type CommandContext, command, required, several } from '../command.ts';
import { usageError } from '../failure.ts';
import { CHUNK_FLAGS, chunkingOf } from '../flags/chunking.ts';
import { integer, pairs, text, toggle } from '../flags/kinds.ts';
import { readStdin } from '../upload/document.ts';
import { findFiles } from '../upload/find-files.ts';
import { UploadReport } from '../upload/report.ts';
import { type Outcome, type UploadOptions, uploadDocument, uploadFiles } from '../upload/uploader.ts';
import { processed } from '../upload/wait.ts';

const DEFAULT_PARALLEL = 4;

export const add = command({
  name: 'add',
  aliases: ['create'],
  summary: 'Store files as memories',
  notes: [
    'Takes files, folders (without hidden files, node_modules and links to folders), patterns, or - for stdin.',
    'What the space has already is not sent again: a second run uploads only what has changed, an interrupted one goes on.',
    'Paths are kept as seen from the working folder, so run it again from the same one.',
  ].join('\n\n'),
  args: {
    space: required('space', 'Name or id of the space'),
    paths: several('path', 'Files, folders, patterns, or -'),
  },
  flags: {
    wait: toggle('--wait', 'Wait until every memory has been processed'),
    parallel: integer('--parallel <n>', `Files under way at once (default ${DEFAULT_PARALLEL})`, { min: 1, max: 64 }),
    metadata: pairs('--metadata <key=value>', 'Metadata of each memory (repeatable)'),
    contentType: text('--content-type <type>', 'Content type of each file (default: by its extension)'),
    pageImages: toggle('--page-images', 'Keep images of the pages of PDFs and images'),
    dryRun: toggle('--dry-run', 'Only say what would be uploaded'),
    ...CHUNK_FLAGS,
  },
  examples: [
    'memories add house notes/ --wait',
    "memories add papers '**/*.pdf' --metadata source=archive --parallel 8",
    'memories add house - < note.txt',
  ],
  async run(context, { args, flags }) {
    const { io, signal } = context;
    const isStdin = args.paths.includes('-');
    if (isStdin && args.paths.length > 1) throw usageError('- stands alone: stdin is one document');
    const files = isStdin ? [] : await findFiles(args.paths, io.cwd);
    const client = await context.client();
    const options: UploadOptions = {
      spaceId: await resolveSpace(client, args.space),
      contentType: flags.contentType,
      metadata: flags.metadata ?? {},
      chunkingConfig: chunkingOf(flags),
      extractPageImages: flags.pageImages,
      dryRun: flags.dryRun,
      parallel: flags.parallel ?? DEFAULT_PARALLEL,
      signal,
    };
    const outcomes = isStdin ? stdinOutcome(context, client, options) : uploadFiles(client, files, options);
    return upload(context, client, outcomes, { total: isStdin ? 1 : files.length, wait: flags.wait });
  },
});

async function* stdinOutcome({ io }: CommandContext, client: Client, options: UploadOptions): AsyncGenerator<Outcome> {
  yield await uploadDocument(client, await readStdin(io, options), options);
}

interface RunOptions {
  total: number;
  wait: boolean;
}

/** Reports outcomes as they come, then waits for processing when that was asked for. */
async function upload(
  { io, signal }: CommandContext,
  client: Client,
  outcomes: AsyncIterable<Outcome>,
  { total, wait }: RunOptions,
): Promise<number> {
  const report = new UploadReport(io, total);
  const stored = new Map<string, { memory: Memory; path: string }>();
  try {
    for await (const outcome of outcomes) {
      await report.outcome(outcome);
      if (outcome.kind !== 'uploaded' && outcome.kind !== 'unchanged') continue;
      const { memory, path } = outcome;
      if (wait) stored.set(memory.memoryId, { memory, path });
      else await report.record(memory, path, { waited: false });
    }
    if (stored.size > 0) await report.waiting(stored.size);
    for await (const memory of processed(client, [...stored.keys()], { signal, now: io.now })) {
      await report.record(memory, stored.get(memory.memoryId)?.path ?? memory.memoryId, { waited: true });
      stored.delete(memory.memoryId);
      await report.waiting(stored.size);
    }
  } catch (error) {
    // What was done until then is worth knowing, most of all after Ctrl-C.
    await report.end();
    throw error;
  }
  return report.end();
}
