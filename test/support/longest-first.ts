import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, the longest first. A file that waits more than it works is at the front as well: the
 * others fill its pauses.
 */
const LONGEST = [
  'faults/kill',
  'contract/permissions/permissions',
  'faults/lifecycle-drain',
  'store/jobs/retries',
  'store/jobs/leases',
  'store/retrieval/partition',
  'contract/memories/memories',
  'cli/binary',
  'terminal/ping',
  'contract/memories/large-content',
  'process/server/store/embedded/engine',
  'terminal/retrieve-browse',
  'store/ingest/promotion',
];

const TESTS = fileURLToPath(new URL('../', import.meta.url));

/**
 * Starts the longest files first, so that none of them runs alone at the end. Vitest by itself goes by how long a file
 * took the last time, which a new clone does not know.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(moduleId.slice(TESTS.length).replace(/\.test\.ts$/, ''));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
