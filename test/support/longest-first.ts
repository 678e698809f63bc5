import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Single files of many seconds come first: at the end each would run alone. */
const PROJECTS = ['engine', 'console', 'waiting', 'embedded', 'postgres'];

/**
 * The folders in the order in which they run: first those whose files take long, at last the many short ones, which fill
 * all workers to the end.
 */
const FOLDERS = ['faults', 'contract', 'terminal', 'cli', 'process', 'console', 'wires', 'store', 'unit'];

/** The files that take longest of their folder, the longest first. */
const LONGEST = [
  'faults/kill',
  'faults/lifecycle-drain',
  'contract/permissions/permissions',
  'contract/memories/large-content',
  'contract/memories/memories',
  'terminal/retrieve-browse',
  'terminal/retrieve',
  'terminal/ping',
  'terminal/scripting',
  'cli/output',
  'cli/binary',
  'process/repository/build',
  'store/jobs/leases',
  'store/jobs/retries',
  'store/jobs/attempts',
  'store/retrieval/partition',
];

const TESTS = fileURLToPath(new URL('../', import.meta.url));

/**
 * Starts the longest files first, so that none of them runs alone at the end. Vitest by itself goes by how long a file
 * took the last time, which a new clone does not know.
 *
 * The files of a project stay together: a worker is kept, with its modules and servers, only as long as the file that is
 * next is of the same project. A new one costs one to two seconds.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = (await super.sort(files)).map((file) => ({ file, ranks: ranksOf(file) }));
    ranked.sort((a, b) => byProject(a.file, b.file) || a.ranks.folder - b.ranks.folder || a.ranks.file - b.ranks.file);
    return ranked.map(({ file }) => file);
  }
}

function ranksOf({ moduleId }: TestSpecification): { folder: number; file: number } {
  const path = moduleId.slice(TESTS.length).replace(/\.test\.ts$/, '');
  return { folder: rankIn(FOLDERS, path.slice(0, path.indexOf('/'))), file: rankIn(LONGEST, path) };
}

function rankIn(list: readonly string[], name: string): number {
  const at = list.indexOf(name);
  return at === -1 ? list.length : at;
}

function byProject(a: TestSpecification, b: TestSpecification): number {
  return rankIn(PROJECTS, a.project.name) - rankIn(PROJECTS, b.project.name);
}
