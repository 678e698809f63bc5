import { createHash } from 'node:crypto';
import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Earlier } from './events.ts';

/** The memories that a space has of the paths of a run, read once and before anything is sent. */
export class StoredVersions {
  readonly #byPath = new Map<string, Memory[]>();

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

  /** The memory that has this content under this path already. */
  find(path: string, content: Uint8Array): Memory | undefined {
    const memories = this.#byPath.get(path);
    if (memories === undefined) return undefined;
    const hash = createHash('sha256').update(content).digest('hex');
    return memories.find(({ originalContentSha256 }) => originalContentSha256 === hash);
  }

  /** All other memories of these paths. */
  earlierThan(present: ReadonlyMap<string, ReadonlySet<string>>): Earlier[] {
    return [...present].flatMap(([path, ids]) => this.#of(path).filter(({ memoryId }) => !ids.has(memoryId)));
  }

  /** The memories of paths that `isThere` does not know. */
  without(isThere: (path: string) => boolean): Earlier[] {
    return [...this.#byPath.keys()].filter((path) => !isThere(path)).flatMap((path) => this.#of(path));
  }

  #add(memory: Memory): void {
    const path = memory.metadata?.path;
    // A memory whose path somebody has taken away follows no file any more.
    if (typeof path !== 'string') return;
    const memories = this.#byPath.get(path);
    if (memories === undefined) this.#byPath.set(path, [memory]);
    else memories.push(memory);
  }

  #of(path: string): Earlier[] {
    return (this.#byPath.get(path) ?? []).map(({ memoryId }) => ({ path, memoryId }));
  }
}
