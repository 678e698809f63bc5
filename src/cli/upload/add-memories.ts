import { Gate } from '../kit/bulk/gate.ts';
import type { CommandContext } from '../kit/command.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { ProgressLine } from '../kit/output/progress.ts';
import { contentLimit, readStdin } from './document.ts';
import type { Emit } from './events.ts';
import { type FoundFiles, findFiles } from './find-files.ts';
import { changeRow, JsonReporter, recordRow } from './json.ts';
import { linesReporter } from './lines.ts';
import type { Reporter, ReporterOptions, RunEnding } from './reporter.ts';
import { runUpload, type UploadRun } from './run-upload.ts';
import { Tally } from './tally.ts';

interface AddOptions extends Omit<UploadRun, 'source' | 'spaceId' | 'now' | 'limit'> {
  /** Name or id. */
  space: string;
  /** Files, folders, patterns, or `-` alone for stdin. */
  paths: readonly string[];
}

/** Stores files as memories of a space and tells about it. Returns the exit code. */
export async function addMemories(context: CommandContext, { space, paths, ...options }: AddOptions): Promise<number> {
  const { io, signal } = context;
  const isStdin = paths.includes('-');
  const found = isStdin ? undefined : await scan(context, paths);
  const client = await context.client();
  const spaceId = await resolveSpace(client, space);
  const limit = contentLimit({ client, signal });
  const reading = { spaceId, contentType: options.contentType, limit, signal };
  const source = found ?? (await readStdin(io, reading));
  return upload(context, { ...options, source, spaceId, limit, now: io.now }, space);
}

async function scan({ io, signal }: CommandContext, paths: readonly string[]): Promise<FoundFiles> {
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

/** Runs the upload and tells about it, whatever its end. `space` is how messages call the space. Returns the exit code. */
export async function upload(context: CommandContext, run: UploadRun, space: string): Promise<number> {
  const { io, signal, globals } = context;
  const { source, wait, dryRun } = run;
  const tally = new Tally(sizeOf(source));
  const client = await context.client();
  const waits = wait && !dryRun;
  const reporter = await openReporter({
    io,
    tally,
    space,
    waits,
    isSync: run.mirror !== undefined,
    debug: globals.debug,
  });
  const emit: Emit = (event) => reporter.event(event, tally.add(event));
  const gate = new Gate({
    signal,
    onPause: (pause) => emit({ kind: 'paused', pause }),
    onResume: () => emit({ kind: 'resumed' }),
  });
  let ending: RunEnding = 'stopped';
  try {
    await runUpload({ client, gate, signal }, run, emit);
    ending = 'done';
  } catch (error) {
    tally.stop(error);
    throw error;
  } finally {
    // What was done until then is worth knowing, most of all after Ctrl-C.
    await reporter.end(signal.aborted ? 'interrupted' : ending);
  }
  return tally.exit;
}

/** The reporter for what is written to: a screen, JSON, or lines. */
async function openReporter(options: ReporterOptions): Promise<Reporter> {
  const { io, tally, waits, isSync, debug } = options;
  if (io.isData) return new JsonReporter(io, { tally, waits, rowOf: isSync ? changeRow : recordRow });
  if (io.terminal === undefined || debug) return linesReporter(io, { tally, isSync });
  const { uploadScreen } = await import('./screen.tsx');
  return uploadScreen(options, io.terminal);
}

function sizeOf(source: UploadRun['source']): { files: number; bytes: number } {
  if ('content' in source) return { files: 1, bytes: source.content.length };
  const { files, passedOver } = source;
  return { files: files.length + passedOver.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}
