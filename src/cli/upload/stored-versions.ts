import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import { isOfItsFile, sha256Of } from '../kit/bulk/memory-id.ts';
import type { Earlier } from './events.ts';

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

  /** The memory that has this content under this path already, whoever has stored it. */
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
    // A memory whose path somebody has taken away follows no file any more.
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
export function isCreatedBefore(a: Created, b: Created): boolean {
  const [first, second] = [createdMs(a), createdMs(b)];
  return first === second ? a.memoryId < b.memoryId : first < second;
}

function createdMs({ createdAt }: Created): number {
  return createdAt === undefined ? 0 : timestampToMs(createdAt);
}
