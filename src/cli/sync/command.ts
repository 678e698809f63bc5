import { type Positional, required, SPACE } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { CHUNK_FLAGS, chunkingFromFlags } from '../kit/flags/chunking.ts';
import { integer, pairs, text, texts, toggle } from '../kit/flags/kinds.ts';

const DEFAULT_PARALLEL = 4;

const FOLDER: Positional<string> = { ...required('folder', 'Folder to follow'), completes: 'files' };

export const sync = loneCommand({
  notes: [
    'New and changed files are stored, unchanged ones are not sent again, and memories of files that are gone are deleted. On a terminal it asks before it deletes; elsewhere it deletes only with -f, and otherwise lists what it would delete. An interrupted sync continues when it is run again.',
    'It touches only memories that a sync of the same folder has stored: they carry its machine and path as syncSource in their metadata, or the name that --source gives, which lets a folder move and change its name: its paths go on beginning with the first one. Memories that were stored otherwise stay as they are.',
    'The name of a machine may change, and another may have the same: in containers, in CI and on hosts called localhost give --source. Under a new name everything is stored once more, and under the name of another folder its memories count as gone. The first sync of a folder says its name, and warns when another machine has stored the same folder.',
    'Left out are hidden files (unless --hidden), .git, node_modules, links to folders, links to files that are outside of the folder or left out themselves, what the .gitignore files of the folder and of its repository ignore, and what --exclude names in the same syntax. What is left out counts as gone.',
    'A folder without any files is refused if the space has memories from it (exit code 66), even with -f: a disk that is not mounted looks like that. With --allow-empty it continues, and all its files count as gone.',
    'A file that cannot be read is named, and the exit code is 66. After any failure nothing that is gone is deleted in that run, because its content may be in what has failed. A changed file keeps its earlier version until the new one can be found, as in svc memories add, and so does a renamed one under its old path.',
  ].join('\n\n'),
  args: { space: SPACE, folder: FOLDER },
  flags: {
    exclude: texts('--exclude <pattern>', 'Leave out what matches, as a line of a .gitignore does (repeatable)'),
    hidden: toggle('--hidden', 'Also names that begin with a dot, but never .git'),
    source: text('--source <name>', 'The name of the folder in the space (default: machine and path)'),
    metadata: pairs('--metadata <key=value>', 'More metadata of each memory (repeatable)'),
    parallel: integer('--parallel <n>', `Batches sent at the same time (default ${DEFAULT_PARALLEL})`, {
      min: 1,
      max: 64,
    }),
    wait: toggle('--wait', 'Wait until every memory has been processed'),
    dryRun: toggle('--dry-run', 'Show what would be done and do nothing'),
    force: toggle('-f, --force', 'Delete memories of files that are gone without asking'),
    allowEmpty: toggle('--allow-empty', 'Continue even if the folder has no files, so that all its memories are gone'),
    ...CHUNK_FLAGS,
  },
  examples: [
    'sync house notes/ --dry-run',
    "sync house ~/notes --exclude '*.log' --wait -f",
    'sync papers /mnt/archive --source archive -f -o ndjson',
  ],
  async run(context, { args, flags }) {
    const { syncFolder } = await import('./sync-folder.ts');
    const { exclude, hidden, source, wait, dryRun, force, allowEmpty } = flags;
    return syncFolder(context, {
      ...{ ...args, exclude, hidden, source, wait, dryRun, force, allowEmpty },
      metadata: flags.metadata ?? {},
      chunkingConfig: chunkingFromFlags(flags),
      parallel: flags.parallel ?? DEFAULT_PARALLEL,
    });
  },
});
