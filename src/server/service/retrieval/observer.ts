import type { StatusCode } from './events.ts';

/** A part of a retrieval whose time is told. */
export type RetrievalStage =
  | 'embed'
  | 'vector_search'
  | 'hybrid_search'
  | 'text_search'
  | 'load'
  | 'rerank'
  | 'summarize';

/** Told what retrievals do, for metrics and statistics. Nothing in it may throw. */
export interface RetrievalObserver {
  /** Once per retrieval and stage; `ok` is false when some of its work failed, even if the rest was served. */
  stageEnded(stage: RetrievalStage, durationMs: number, ok: boolean): void;
  /** A status event goes out. */
  statusSent(code: StatusCode): void;
}
