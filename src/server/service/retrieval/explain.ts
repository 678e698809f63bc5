import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Candidates } from './candidates.ts';
import { statusEvent } from './events.ts';
import type { RetrievalStage } from './observer.ts';
import type { SpacePlan } from './plan.ts';
import type { StageTimes } from './stage-times.ts';

const STAGES: Readonly<Record<string, RetrievalStage>> = {
  embedMs: 'embed',
  searchMs: 'vector_search',
  loadMs: 'load',
  rerankMs: 'rerank',
  summarizeMs: 'summarize',
};

/** How the results were found: times of the stages in milliseconds, 0 for one that did not run, and how each space was read. */
export function explain(plan: readonly SpacePlan[], candidates: Candidates, stages: StageTimes): RetrieveMemoryEvent {
  const times = Object.entries(STAGES).map(([name, stage]) => [name, stages.ms(stage).toFixed(2)]);
  const scans = plan.map(({ spaceId }) => [`space.${spaceId}`, candidates.scans.get(spaceId) ?? '']);
  return statusEvent('EXPLAIN', 'How the results were found', {
    ...Object.fromEntries(times),
    candidates: String(candidates.chunks.length),
    ...Object.fromEntries(scans),
  });
}
