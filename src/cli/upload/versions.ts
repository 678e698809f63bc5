import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { UploadEvent } from './events.ts';
import { hasEnded } from './wait.ts';

/** Whether the present version of a path can take the place of earlier ones. */
export type Fitness = 'fit' | 'not processed yet' | 'failed';

/** Under which ids the paths of a run are stored now, and how far each is. */
export class Versions {
  /** Paths by the id under which they are stored. */
  readonly stored = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();
  readonly #statuses = new Map<string, ProcessingStatus>();
  /** Paths of which a file is not stored. */
  readonly #lost = new Set<string>();

  add(event: UploadEvent): void {
    if (event.kind === 'processed') this.#note(event.memory);
    if (event.kind !== 'outcome') return;
    const { outcome } = event;
    switch (outcome.kind) {
      case 'uploaded':
      case 'unchanged':
        this.#note(outcome.memory);
        this.stored.set(outcome.memory.memoryId, outcome.path);
        this.#present(outcome.path, outcome.memory.memoryId);
        return;
      case 'would upload':
        this.#present(outcome.path, outcome.document.memoryId);
        return;
      default:
        this.#lost.add(outcome.path);
    }
  }

  /** The present ids by path, of the paths of which every file is stored, or would be. */
  get present(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map([...this.#ids].filter(([path]) => !this.#lost.has(path)));
  }

  /** Retrieval finds a memory once it is COMPLETED; until then the earlier version is all that can be found. */
  fitness(path: string): Fitness {
    const statuses = [...(this.#ids.get(path) ?? [])].map((id) => this.#statuses.get(id));
    if (statuses.includes(ProcessingStatus.FAILED)) return 'failed';
    return statuses.every((status) => status === ProcessingStatus.COMPLETED) ? 'fit' : 'not processed yet';
  }

  /** The ids of these paths whose processing has not ended as far as is known. */
  unended(paths: Iterable<string>): string[] {
    const ids = new Set([...paths].flatMap((path) => [...(this.#ids.get(path) ?? [])]));
    return [...ids].filter((id) => !hasEnded(this.#statuses.get(id)));
  }

  #note({ memoryId, processingStatus }: Memory): void {
    this.#statuses.set(memoryId, processingStatus);
  }

  /** Two files may share a path when they are named from different folders. */
  #present(path: string, memoryId: string): void {
    const ids = this.#ids.get(path);
    if (ids === undefined) this.#ids.set(path, new Set([memoryId]));
    else ids.add(memoryId);
  }
}
