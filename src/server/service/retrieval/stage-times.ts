import type { RetrievalObserver, RetrievalStage } from './observer.ts';

/** How long the stages of one retrieval take. A stage that is repeated adds to its time. */
export class StageTimes {
  readonly #stages = new Map<RetrievalStage, { ms: number; ok: boolean }>();
  readonly #reported = new Set<RetrievalStage>();

  /** Runs a piece of a stage. Throws what `work` throws. */
  async run<T>(stage: RetrievalStage, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    let ok = false;
    try {
      const result = await work();
      ok = true;
      return result;
    } finally {
      this.#add(stage, performance.now() - started, ok);
    }
  }

  /** Some of the work of a stage failed, and the rest is served. */
  fail(stage: RetrievalStage): void {
    this.#add(stage, 0, false);
  }

  /** Milliseconds; 0 for a stage that did not run. */
  ms(stage: RetrievalStage): number {
    return this.#stages.get(stage)?.ms ?? 0;
  }

  /** Tells of each stage once, so call it when no stage that has begun is to be repeated. */
  report(observe: RetrievalObserver): void {
    for (const [stage, { ms, ok }] of this.#stages) {
      if (this.#reported.has(stage)) continue;
      this.#reported.add(stage);
      observe.stageEnded(stage, ms, ok);
    }
  }

  #add(stage: RetrievalStage, ms: number, ok: boolean): void {
    const known = this.#stages.get(stage) ?? { ms: 0, ok: true };
    this.#stages.set(stage, { ms: known.ms + ms, ok: known.ok && ok });
  }
}
