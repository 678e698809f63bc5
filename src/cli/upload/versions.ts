import { ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import type { UploadEvent } from './events.ts';

/** Under which ids the paths of a run are stored now. */
export class Versions {
  /** Paths by the id under which they are stored. */
  readonly stored = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();
  /** Paths that have no version fit to replace another. */
  readonly #unfit = new Set<string>();

  add(event: UploadEvent): void {
    if (event.kind === 'processed' && event.memory.processingStatus === ProcessingStatus.FAILED) {
      this.#unfit.add(event.path);
    }
    if (event.kind !== 'outcome') return;
    const { outcome } = event;
    switch (outcome.kind) {
      case 'uploaded':
      case 'unchanged': {
        const { memoryId, processingStatus } = outcome.memory;
        this.stored.set(memoryId, outcome.path);
        this.#present(outcome.path, memoryId);
        if (processingStatus === ProcessingStatus.FAILED) this.#unfit.add(outcome.path);
        return;
      }
      case 'would upload':
        this.#present(outcome.path, outcome.document.memoryId);
        return;
      default:
        this.#unfit.add(outcome.path);
    }
  }

  /**
   * The present ids by path, of the paths whose earlier versions are replaced by them: every file of the path is stored,
   * and none is known to have failed in processing, for then the earlier version is all that can be found.
   */
  replacing(): Map<string, ReadonlySet<string>> {
    return new Map([...this.#ids].filter(([path]) => !this.#unfit.has(path)));
  }

  /** Two files may share a path when they are named from different folders. */
  #present(path: string, memoryId: string): void {
    const ids = this.#ids.get(path);
    if (ids === undefined) this.#ids.set(path, new Set([memoryId]));
    else ids.add(memoryId);
  }
}
