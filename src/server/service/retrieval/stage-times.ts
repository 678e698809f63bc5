import type { StatusCode } from './events.ts';

/** A stage of a retrieval whose time is measured. */
export type RetrievalStage =
  | 'embed'
  | 'vector_search'
  | 'hybrid_search'
  | 'text_search'
  | 'load'
  | 'rerank'
  | 'summarize';

/** Called during retrievals, for metrics and statistics. Its methods must not throw. */
export interface RetrievalObserver {
  /** Called once per retrieval and stage; `ok` is false when a part of the stage failed, even if the rest was returned. */
  stageEnded(stage: RetrievalStage, durationMs: number, ok: boolean): void;
  /** Called for each status event. */
  statusSent(code: StatusCode): void;
}

/** Measures the stages of one retrieval. The times of a repeated stage are added up. */
export class StageTimes {
  readonly #stages = new Map<RetrievalStage, { ms: number; ok: boolean }>();
  readonly #reported = new Set<RetrievalStage>();

  /** Runs a part of a stage. Throws what `work` throws. */
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

  /** Records that a part of a stage failed. */
  fail(stage: RetrievalStage): void {
    this.#add(stage, 0, false);
  }

  /** Milliseconds; 0 for a stage that did not run. */
  ms(stage: RetrievalStage): number {
    return this.#stages.get(stage)?.ms ?? 0;
  }

  /** Reports each stage once, so it must be called when no stage with a time will be repeated. */
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
