import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import { isOfItsFile, sha256Of } from '../kit/bulk/memory-id.ts';
import type { Earlier, Unfit, UploadEvent } from './events.ts';

/** The memories that a space has of the paths of a run, read once and before anything is sent. */
export class StoredVersions {
  readonly #byPath = new Map<string, Memory[]>();
  readonly #byId = new Map<string, Memory>();

  /** `onFound` is told now and then how many there are so far. */
  static async read(
    memories: AsyncIterable<Memory>,
    onFound: (count: number) => void = () => {},
  ): Promise<StoredVersions> {
    const stored = new StoredVersions();
    let count = 0;
    for await (const memory of memories) {
      stored.#add(memory);
      count += 1;
      if (count % 500 === 0) onFound(count);
    }
    return stored;
  }

  /** The memory that has this content under this path already, stored by any client. */
  find(path: string, content: Uint8Array): Memory | undefined {
    const memories = this.#byPath.get(path);
    if (memories === undefined) return undefined;
    const hash = sha256Of(content);
    const same = memories.filter(({ originalContentSha256 }) => originalContentSha256 === hash);
    return same.find(isOfItsFile) ?? same[0];
  }

  /** Whether a later version of the same file can be found: the file has gone back to what it was before. */
  isOvertaken(path: string, memory: Memory): boolean {
    return (
      isOfItsFile(memory) &&
      this.#of(path).some(
        (other) => other.processingStatus === ProcessingStatus.COMPLETED && isCreatedBefore(memory, other),
      )
    );
  }

  /** All other memories of these files. */
  earlierThan(present: ReadonlyMap<string, ReadonlySet<string>>): Earlier[] {
    return [...present].flatMap(([path, ids]) =>
      this.#of(path).flatMap(({ memoryId }) => (ids.has(memoryId) ? [] : { path, memoryId })),
    );
  }

  /** The memories of files at paths that `isThere` does not know. */
  without(isThere: (path: string) => boolean): Earlier[] {
    return this.paths
      .filter((path) => !isThere(path))
      .flatMap((path) => this.#of(path).map(({ memoryId }) => ({ path, memoryId })));
  }

  get(memoryId: string): Memory | undefined {
    return this.#byId.get(memoryId);
  }

  get isEmpty(): boolean {
    return this.#byPath.size === 0;
  }

  /** Of the files that uploads have stored. */
  get paths(): readonly string[] {
    return [...this.#byPath.keys()].filter((path) => this.#of(path).length > 0);
  }

  #add(memory: Memory): void {
    const path = memory.metadata?.path;
    // A memory without a path follows no file any more.
    if (typeof path !== 'string') return;
    this.#byId.set(memory.memoryId, memory);
    const memories = this.#byPath.get(path);
    if (memories === undefined) this.#byPath.set(path, [memory]);
    else memories.push(memory);
  }

  /** What uploads have made: nothing else may be deleted. */
  #of(path: string): Memory[] {
    return (this.#byPath.get(path) ?? []).filter(isOfItsFile);
  }
}

type Created = Pick<Memory, 'memoryId' | 'createdAt'>;

/**
 * The one order in which versions give way. It never changes, so that of two runs that see each other's versions of a file
 * only one deletes.
 */
function isCreatedBefore(a: Created, b: Created): boolean {
  const [first, second] = [createdMs(a), createdMs(b)];
  return first === second ? a.memoryId < b.memoryId : first < second;
}

function createdMs({ createdAt }: Created): number {
  return createdAt === undefined ? 0 : timestampToMs(createdAt);
}

/** Whether memories can take the place of others. */
type Fitness = 'fit' | Unfit;

/** Under which ids the paths of a run are stored now, and how far each is. */
export class Versions {
  /** Paths by the id under which they are stored. */
  readonly stored = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();
  /** The ids that have a content, by its SHA-256. */
  readonly #copies = new Map<string, Set<string>>();
  /** As they were last seen; undefined when they were deleted. */
  readonly #seen = new Map<string, Memory | undefined>();
  /** Paths of which a file is not stored. */
  readonly #lost = new Set<string>();
  #hasFailed = false;

  add(event: UploadEvent): void {
    if (event.kind === 'processed') this.#seen.set(event.memory.memoryId, event.memory);
    if (event.kind === 'vanished') this.#seen.set(event.memoryId, undefined);
    if (event.kind !== 'outcome') return;
    const { outcome } = event;
    switch (outcome.kind) {
      case 'uploaded':
      case 'unchanged': {
        const { memory, path } = outcome;
        this.#seen.set(memory.memoryId, memory);
        this.stored.set(memory.memoryId, path);
        addTo(this.#ids, path, memory.memoryId);
        addTo(this.#copies, memory.originalContentSha256, memory.memoryId);
        return;
      }
      case 'would upload':
        // Two files may share a path when they are named from different folders.
        addTo(this.#ids, outcome.path, outcome.document.memoryId);
        return;
      default:
        this.#lost.add(outcome.path);
        this.#hasFailed ||= outcome.kind === 'failed';
    }
  }

  /** A file could not be read or stored. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The present ids by path, of the paths of which every file is stored, or would be. */
  get present(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map([...this.#ids].filter(([path]) => !this.#lost.has(path)));
  }

  idsOf(path: string): readonly string[] {
    return [...(this.#ids.get(path) ?? [])];
  }

  /** The ids under which the run has this content, at any path. */
  copiesOf(hash: string): readonly string[] {
    return [...(this.#copies.get(hash) ?? [])];
  }

  /** Retrieval finds a memory once it is COMPLETED; until then the earlier version is all that can be found. */
  fitness(path: string): Fitness {
    const states = this.idsOf(path).map((id) => this.#state(id));
    return states.find((state) => state !== 'fit') ?? 'fit';
  }

  /** One copy that can be found is enough. */
  fitnessOfCopies(hash: string): Fitness {
    const states = this.copiesOf(hash).map((id) => this.#state(id));
    return (['fit', 'not processed yet', 'failed', 'deleted'] as const).find((one) => states.includes(one)) ?? 'fit';
  }

  /** Whether a version was created before one that has its path now. */
  isBeforePresent(path: string, version: Memory): boolean {
    return this.idsOf(path).some((id) => {
      const present = this.#seen.get(id);
      return present !== undefined && isCreatedBefore(version, present);
    });
  }

  /** Those of which the end of processing has not been seen. */
  unended(ids: Iterable<string>): string[] {
    return [...new Set(ids)].filter((id) => this.#state(id) === 'not processed yet');
  }

  /** Takes note of what these are now; those that are missing were deleted. */
  see(ids: readonly string[], found: ReadonlyMap<string, Memory>): void {
    for (const id of ids) this.#seen.set(id, found.get(id));
  }

  #state(id: string): Fitness {
    const status = this.#seen.get(id)?.processingStatus;
    if (status === undefined) return 'deleted';
    if (status === ProcessingStatus.COMPLETED) return 'fit';
    return status === ProcessingStatus.FAILED ? 'failed' : 'not processed yet';
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

/** Not PENDING, not PROCESSING. */
export function hasEnded(processingStatus: ProcessingStatus | undefined): boolean {
  return processingStatus === ProcessingStatus.COMPLETED || processingStatus === ProcessingStatus.FAILED;
}
