import { createHash } from 'node:crypto';
import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { StoreContext } from '../bulk/store-memories.ts';
import { filterLiteral } from '../client/filter-literal.ts';
import type { Earlier } from '../upload/events.ts';
import { matchingMemories } from '../upload/matching-memories.ts';
import { SYNC_SOURCE } from '../upload/memory-id.ts';
import type { Mirror } from '../upload/mirror.ts';

export interface MirrorOptions {
  spaceId: string;
  source: string;
  /** Told now and then how many memories there are so far. */
  onFound: (count: number) => void;
}

/** What a space has of a folder: the memories that syncs of this source have stored, and no others. */
export class StoredMirror implements Mirror {
  readonly source: string;
  gone: readonly Earlier[] = [];
  left: readonly Earlier[] = [];
  readonly #byPath = new Map<string, Memory[]>();

  private constructor(source: string) {
    this.source = source;
  }

  static async read(context: StoreContext, { spaceId, source, onFound }: MirrorOptions): Promise<StoredMirror> {
    const mirror = new StoredMirror(source);
    const filter = `val('$.${SYNC_SOURCE}') = ${filterLiteral(source)}`;
    let count = 0;
    for await (const memory of matchingMemories(context, spaceId, filter)) {
      const path = memory.metadata?.path;
      // A memory whose path somebody has taken away follows no file any more.
      if (typeof path !== 'string') continue;
      const memories = mirror.#byPath.get(path);
      if (memories === undefined) mirror.#byPath.set(path, [memory]);
      else memories.push(memory);
      count += 1;
      if (count % 500 === 0) onFound(count);
    }
    return mirror;
  }

  find(path: string, content: Uint8Array): Memory | undefined {
    const memories = this.#byPath.get(path);
    if (memories === undefined) return undefined;
    const hash = createHash('sha256').update(content).digest('hex');
    return memories.find(({ originalContentSha256 }) => originalContentSha256 === hash);
  }

  earlierThan(present: ReadonlyMap<string, ReadonlySet<string>>): Earlier[] {
    return [...present].flatMap(([path, ids]) => this.#of(path).filter(({ memoryId }) => !ids.has(memoryId)));
  }

  /** The memories of paths that `isThere` does not know. */
  without(isThere: (path: string) => boolean): Earlier[] {
    return [...this.#byPath.keys()].filter((path) => !isThere(path)).flatMap((path) => this.#of(path));
  }

  #of(path: string): Earlier[] {
    return (this.#byPath.get(path) ?? []).map(({ memoryId }) => ({ path, memoryId }));
  }
}
