import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { RankedChunk } from './candidates.ts';
import type { StageName } from './events.ts';
import type { Results } from './results.ts';
import type { StageTimes } from './stage-times.ts';

/** What a post processor gets of a retrieval. */
export interface ProcessedCall {
  request: RetrieveMemoryRequest;
  context: CallContext;
  stages: StageTimes;
}

/** A post processor that is prepared for one call. */
export interface PostProcessing {
  /** Number of candidates that the search should return. */
  candidates: number;
  /** Whether `load` is called at once, so that it may use the memories as they were at the moment of the search. */
  isImmediate?: boolean;
  /** Statuses known before the search, sent first in the stream. */
  statuses: readonly RetrieveMemoryEvent[];
  /**
   * Turns the candidates, best first, into the results. `load` loads the results of chunks; with `memories` it also loads
   * their memories, even if the request does not want them. Failures of providers become statuses.
   */
  process(found: readonly RankedChunk[], load: LoadResults): Promise<Processed>;
  /** Called once when the retrieval has ended for any reason. */
  end?(): void;
}

export type LoadResults = (chunks: readonly RankedChunk[], options?: { memories?: boolean }) => Promise<Results>;

export interface Processed {
  results: Results;
  /** Further statuses before the results. */
  statuses: readonly RetrieveMemoryEvent[];
  /** Undefined if the search ranked the results. */
  stageName?: StageName | undefined;
  /** Yields the events after the last result: a reply, streamed in deltas if requested, or statuses in its place. */
  conclude?: ((resultSetId: string) => AsyncIterable<RetrieveMemoryEvent>) | undefined;
}
