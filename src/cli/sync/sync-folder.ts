import { hostname } from 'node:os';
import { basename } from 'node:path';
import { EXIT } from '../../shared/exit-codes.ts';
import { Gate, pauseText } from '../kit/bulk/gate.ts';
import { SYNC_SOURCE } from '../kit/bulk/memory-id.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { filterLiteral } from '../kit/client/client.ts';
import type { CommandContext } from '../kit/command.ts';
import { CommandError } from '../kit/errors.ts';
import { isConfirmed } from '../kit/input/prompt.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import type { Io } from '../kit/output/io.ts';
import { ProgressLine } from '../kit/output/progress.ts';
import { counted } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';
import { upload } from '../upload/add-memories.ts';
import { contentLimit } from '../upload/document.ts';
import type { Earlier } from '../upload/events.ts';
import { matchingMemories } from '../upload/matching-memories.ts';
import type { UploadRun } from '../upload/run-upload.ts';
import { StoredVersions } from '../upload/versions.ts';
import { findFolder, folderOf } from './find-folder.ts';

interface SyncOptions extends Pick<UploadRun, 'metadata' | 'chunkingConfig' | 'parallel' | 'dryRun' | 'wait'> {
  /** Name or id. */
  space: string;
  folder: string;
  /** The name under which the space knows the folder; undefined for this machine and the path. */
  source: string | undefined;
  exclude: readonly string[];
  hidden: boolean;
  /** Delete without asking. */
  force: boolean;
  /** All files may be gone. */
  allowEmpty: boolean;
}

/** Makes a space follow a folder, and tells about it. Returns the exit code. */
export async function syncFolder(context: CommandContext, options: SyncOptions): Promise<number> {
  const { io, signal } = context;
  const { space, exclude, hidden, dryRun, wait, metadata, chunkingConfig, parallel } = options;
  const folder = await folderOf(io.cwd, options.folder);
  const source = options.source ?? `${hostname()}:${folder}`;
  const client = await context.client();
  const spaceId = await resolveSpace(client, space);
  // Before the files are looked for: a file that comes meanwhile, and is stored by another sync, is in no list of the gone.
  const stored = await withSearchShown(context, 'Looking at what the space has', (onFound, note) => {
    const gate = gateOf(signal, note);
    const filter = `val('$.${SYNC_SOURCE}') = ${filterLiteral(source)}`;
    return StoredVersions.read(matchingMemories({ client, gate, signal }, spaceId, filter), onFound);
  });
  const root = (options.source === undefined ? undefined : rootOf(stored.paths)) ?? basename(folder);
  const found = await withSearchShown(context, 'Looking for files', (onFound) =>
    findFolder({ folder, root, exclude, hidden, signal, onFound }),
  );
  if (stored.isEmpty && found.files.length > 0) {
    const gate = gateOf(signal, async (text) => io.stderr.write(`${text}\n`));
    const named = options.source === undefined ? folder : undefined;
    await tellFirstSync(io, { client, gate, signal }, { spaceId, space, source, folder: named });
  }
  const gone = stored.without(found.isThere);
  if (found.files.length === 0 && gone.length > 0 && !options.allowEmpty) throw nothingLeft(folder, space, gone.length);
  const mayDelete = gone.length === 0 || dryRun || (await agrees(context, gone, options));
  const mirror = { source, gone, mayDelete, isBack: found.isBack };
  const run: UploadRun = {
    ...{ source: found, spaceId, stored, mirror, metadata, chunkingConfig, parallel, dryRun, wait },
    ...{ contentType: undefined, extractPageImages: false, keepOld: false },
    limit: contentLimit({ client, signal }),
    now: io.now,
  };
  return upload(context, run, space);
}

function gateOf(signal: AbortSignal, note: (text: string) => Promise<void>): Gate {
  return new Gate({ signal, onPause: (pause) => note(pauseText(pause)), onResume: async () => {} });
}

/**
 * What all paths of a source begin with: the name of its folder when it was synced first. A folder that moves under a name
 * of its own keeps it.
 */
function rootOf(paths: readonly string[]): string | undefined {
  const roots = new Set(paths.map((path) => path.slice(0, Math.max(0, path.indexOf('/')))));
  const [root] = roots;
  return roots.size === 1 && root !== '' ? root : undefined;
}

/** The mount point of a disk that is not there is an empty folder: that is no reason to delete what came from the disk. */
function nothingLeft(folder: string, space: string, gone: number): CommandError {
  return new CommandError(
    oneLine(`There are no files in ${folder}, but ${space} has ${counted(gone, 'memory')} from it`),
    {
      code: 'NOT_FOUND',
      exit: EXIT.noInput,
      details: 'this may be a disk that is not mounted; nothing was changed',
      next: 'If the files are really gone, add --allow-empty',
    },
  );
}

/** Of the paths in a question. */
const MOST_NAMED = 10;

/** Whether these may be deleted. Without a terminal to ask at, only with --force. */
async function agrees(
  context: CommandContext,
  gone: readonly Earlier[],
  { space, force }: Pick<SyncOptions, 'space' | 'force'>,
): Promise<boolean> {
  const { stderr, canAsk } = context.io;
  if (force || !canAsk) return force;
  await stderr.write(`These files are gone, and their memories are in ${oneLine(space)}:\n`);
  for (const { path } of gone.slice(0, MOST_NAMED)) await stderr.write(`  ${oneLine(path)}\n`);
  if (gone.length > MOST_NAMED) await stderr.write(`  and ${counted(gone.length - MOST_NAMED, 'more file')}\n`);
  const isAgreed = await isConfirmed(context, `Delete ${counted(gone.length, 'memory')}? This cannot be undone.`);
  context.signal.throwIfAborted();
  return isAgreed;
}

/** Shows how a search goes on, and says when it was interrupted that nothing has happened yet. */
async function withSearchShown<T>(
  { io, signal }: CommandContext,
  what: string,
  search: (onFound: (count: number) => void, note: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const progress = new ProgressLine(io);
  let shown: Promise<void> = Promise.resolve();
  const onFound = (count: number): void => {
    shown = progress.show(`${what}: ${count} so far`);
  };
  const note = async (text: string): Promise<void> => {
    await progress.clear();
    await io.stderr.write(`${text}\n`);
  };
  try {
    return await search(onFound, note);
  } finally {
    await shown;
    await progress.clear();
    if (signal.aborted) await io.stderr.write('Interrupted before anything was changed.\n');
  }
}

interface FirstSync {
  spaceId: string;
  /** How messages call the space. */
  space: string;
  source: string;
  /** Absolute; undefined when the source was named with --source. */
  folder: string | undefined;
}

/**
 * Says under which name the space will know a folder that it has nothing of. A machine's name may change, as those of
 * containers do, and then everything would be stored once more: it warns when another machine has stored the same folder.
 */
async function tellFirstSync(
  { stderr }: Pick<Io, 'stderr'>,
  context: StoreContext,
  { spaceId, space, source, folder }: FirstSync,
): Promise<void> {
  const known = `First sync of this folder: ${oneLine(space)} knows it as ${oneLine(source)}`;
  if (folder === undefined) return stderr.write(`${known}\n`);
  await stderr.write(`${known}; give it a name with --source where the name of the machine may change\n`);
  const other = await sourceElsewhere(context, spaceId, folder);
  if (other === undefined) return;
  await stderr.write(
    `Warning: ${oneLine(space)} has the same folder already as ${oneLine(other)}, and gets its files once more; ` +
      `if it is this folder, continue it with --source '${oneLine(other)}'\n`,
  );
}

/** The name of a folder at the same path of another machine. */
async function sourceElsewhere(context: StoreContext, spaceId: string, folder: string): Promise<string | undefined> {
  const pattern = `%:${folder.replace(/[\\%_]/g, '\\$&')}`;
  const filter = `val('$.${SYNC_SOURCE}') LIKE ${filterLiteral(pattern)}`;
  for await (const { metadata } of matchingMemories(context, spaceId, filter)) {
    const source = metadata?.[SYNC_SOURCE];
    if (typeof source === 'string') return source;
  }
  return undefined;
}
