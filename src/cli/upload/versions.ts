import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Unfit, UploadEvent } from './events.ts';
import { isCreatedBefore } from './stored-versions.ts';

/** Whether memories can take the place of others. */
export type Fitness = 'fit' | Unfit;

/** Under which ids the paths of a run are stored now, and how far each is. */
export class Versions {
  /** Paths by the id under which they are stored. */
  readonly stored = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();
  /** The ids that have a content, by its SHA-256. */
  readonly #copies = new Map<string, Set<string>>();
  /** As they were last seen; undefined when somebody has deleted them. */
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
