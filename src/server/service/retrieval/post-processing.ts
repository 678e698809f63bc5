import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { RankedChunk } from './candidates.ts';
import type { StageName } from './events.ts';
import type { Results } from './results.ts';
import type { StageTimes } from './stage-times.ts';

/** One retrieval, as far as its post processor is concerned. */
export interface ProcessedCall {
  request: RetrieveMemoryRequest;
  context: CallContext;
  stages: StageTimes;
}

/** What happens to the candidates of one call between the search and the stream, and after it. */
export interface PostProcessing {
  /** Candidates that the search must bring. */
  candidates: number;
  /** Known before the search; the first events of the stream. */
  statuses: readonly RetrieveMemoryEvent[];
  /**
   * From the candidates, best first, to what is streamed. `load` makes results of chunks; `memories` asks for their
   * memories even if the caller does not want to see them. A failure of what is called here is a status.
   */
  process(found: readonly RankedChunk[], load: LoadResults): Promise<Processed>;
  /** Called once when the retrieval is over, however it ends. */
  end?(): void;
}

export type LoadResults = (chunks: readonly RankedChunk[], options?: { memories?: boolean }) => Promise<Results>;

export interface Processed {
  results: Results;
  /** What else there is to say before the results. */
  statuses: readonly RetrieveMemoryEvent[];
  /** Undefined: the search's own. */
  stageName?: StageName | undefined;
  /** What comes after the last result: a reply, piece by piece if that was asked for, or statuses in its place. */
  conclude?: ((resultSetId: string) => AsyncIterable<RetrieveMemoryEvent>) | undefined;
}
